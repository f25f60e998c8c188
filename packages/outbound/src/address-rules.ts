import { BlockList, isIP } from 'node:net';

/** A range of addresses, such as `10.0.0.0/8`. */
export interface AddressRange {
  address: string;
  prefix: number;
  family: 'ipv4' | 'ipv6';
}

/**
 * IPv4 that is nobody's public server, after IANA's registry of special-purpose addresses; and Azure's metadata service, which has a public
 * address (those of the other clouds lie in ranges that stand here anyway).
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

/** All that IPv6 has given out for public use; the rest (loopback, private, link-local, multicast, mapped) is left out by that alone. */
const PUBLIC_V6: readonly (readonly [string, number])[] = [['2000::', 3]];

/** Within it: protocol assignments with Teredo, documentation, and 6to4, which can carry any IPv4 address. */
const NOT_PUBLIC_V6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

/**
 * How IPv6 writes an IPv4 address in its last 32 bits: mapped, and NAT64, by which machines without IPv4 reach those that have only that.
 * Such an address is as public as the one inside it.
 */
const CARRIERS_OF_V4 = ['::ffff:', '64:ff9b::'];
const CARRIER_BITS = 96;

/**
 * Decides on addresses as they are connected to: public ones, and those that the operator allows besides.
 *
 * @returns whether a textual IPv4 or IPv6 address may be connected to; what is no address, or names a zone (`fe80::1%eth0`), may not
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

/** A range of IPv4, and what IPv6 writes for it. */
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
