import { BlockList, isIP } from 'node:net';

export interface AddressRange {
  address: string;
  prefix: number;
  family: 'ipv4' | 'ipv6';
}

/**
 * IANA's special-purpose IPv4 addresses, and Azure's metadata service, which has a public address. Those of
 * other clouds are in these ranges.
 */
const NOT_PUBLIC_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** All public IPv6 addresses. This excludes loopback, private, link-local, multicast, and mapped ones. */
const PUBLIC_V6: readonly (readonly [string, number])[] = [['2000::', 3]];

/** Exceptions: protocol assignments with Teredo, documentation, and 6to4, which can carry any IPv4 address. */
const NOT_PUBLIC_V6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

/** IPv6 prefixes with an IPv4 address in the last 32 bits: mapped and NAT64. The inner address decides. */
const CARRIERS_OF_V4 = ['::ffff:', '64:ff9b::'];
const CARRIER_BITS = 96;

/**
 * Creates a check for addresses to connect to: public ones, and those that the operator allows.
 * @returns The check. It refuses text that is not an address, and zones (`fe80::1%eth0`).
 */
export function createAddressRules(allow: readonly AddressRange[]): (address: string) => boolean {
  const allowed = blockList(allow.flatMap(withCarried));
  const notPublic = blockList([
    ...rangesOf(NOT_PUBLIC_V4, 'ipv4').flatMap(withCarried),
    ...rangesOf(NOT_PUBLIC_V6, 'ipv6'),
  ]);
  const publicV6 = blockList([
    ...rangesOf(PUBLIC_V6, 'ipv6'),
    ...CARRIERS_OF_V4.map(
      (carrier): AddressRange => ({ address: carried(carrier, '0.0.0.0'), prefix: CARRIER_BITS, family: 'ipv6' }),
    ),
  ]);
  return (address) => {
    const version = isIP(address);
    if (version === 0 || address.includes('%')) return false;
    const family = version === 4 ? 'ipv4' : 'ipv6';
    if (allowed.check(address, family)) return true;
    return !notPublic.check(address, family) && (family === 'ipv4' || publicV6.check(address, family));
  };
}

const rangesOf = (list: readonly (readonly [string, number])[], family: AddressRange['family']): AddressRange[] =>
  list.map(([address, prefix]) => ({ address, prefix, family }));

const carried = (carrier: string, address: string): string => `${carrier}${address}`;

function withCarried(range: AddressRange): AddressRange[] {
  if (range.family === 'ipv6') return [range];
  const inV6 = CARRIERS_OF_V4.map(
    (carrier): AddressRange => ({
      address: carried(carrier, range.address),
      prefix: CARRIER_BITS + range.prefix,
      family: 'ipv6',
    }),
  );
  return [range, ...inV6];
}

function blockList(ranges: readonly AddressRange[]): BlockList {
  const list = new BlockList();
  for (const { address, prefix, family } of ranges) list.addSubnet(address, prefix, family);
  return list;
}
