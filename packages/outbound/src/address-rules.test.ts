import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAddressRules } from './address-rules.ts';

const isPublic = createAddressRules([]);

test.each([
  '8.8.8.8',
  '1.1.1.1',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.1',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:80e::200e',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
])('%s is public', (address) => {
  expect(isPublic(address)).toBe(true);
});

test.each([
  ['0.0.0.0', 'unspecified'],
  ['0.1.2.3', 'this network'],
  ['10.0.0.1', 'private'],
  ['100.64.0.1', 'shared by carriers'],
  ['100.100.100.200', 'metadata of Alibaba'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['168.63.129.16', 'metadata of Azure'],
  ['169.254.169.254', 'metadata of AWS, Google, Azure'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.0.0.192', 'metadata of Oracle'],
  ['192.0.2.1', 'documentation'],
  ['192.88.99.1', '6to4 relay'],
  ['192.168.1.1', 'private'],
  ['198.18.0.1', 'benchmarks'],
  ['198.51.100.1', 'documentation'],
  ['203.0.113.1', 'documentation'],
  ['224.0.0.1', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'broadcast'],
  ['::', 'unspecified'],
  ['::1', 'loopback'],
  ['::127.0.0.1', 'compatible with IPv4'],
  ['::ffff:127.0.0.1', 'mapped'],
  ['::ffff:7f00:1', 'mapped'],
  ['::ffff:0:127.0.0.1', 'translated'],
  ['64:ff9b::10.0.0.1', 'NAT64'],
  ['64:ff9b::a9fe:a9fe', 'NAT64'],
  ['64:ff9b:1::8.8.8.8', 'local NAT64'],
  ['100::1', 'discard'],
  ['2001::1', 'Teredo'],
  ['2001:10::1', 'ORCHID'],
  ['2001:db8::1', 'documentation'],
  ['2002:7f00:1::', '6to4 of 127.0.0.1'],
  ['2002:808:808::', '6to4'],
  ['3fff::1', 'documentation'],
  ['5f00::1', 'segment routing'],
  ['fc00::1', 'private'],
  ['fd00:ec2::254', 'metadata of AWS'],
  ['fe80::1', 'link-local'],
  ['fe80::1%eth0', 'link-local with a zone'],
  ['2606:4700::1%eth0', 'a zone'],
  ['fec0::1', 'site-local'],
  ['ff02::1', 'multicast'],
  ['localhost', 'no address'],
  ['127.1', 'no address'],
  ['', 'no address'],
])('%s is not public: %s', (address) => {
  expect(isPublic(address)).toBe(false);
});

test('an IPv4 address inside an IPv6 address is checked as IPv4', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      expect(isPublic(`::ffff:${address}`)).toBe(isPublic(address));
      expect(isPublic(`64:ff9b::${address}`)).toBe(isPublic(address));
    }),
    { seed: 7, numRuns: 500 },
  );
});

test('the operator can allow more addresses', () => {
  const isAllowed = createAddressRules([
    { address: '10.1.0.0', prefix: 16, family: 'ipv4' },
    { address: '::1', prefix: 128, family: 'ipv6' },
  ]);
  const given = ['10.1.2.3', '::ffff:10.1.2.3', '::1', '8.8.8.8', '10.2.0.1', '::ffff:10.2.0.1', '127.0.0.1', '::2'];
  expect(given.map(isAllowed)).toEqual([true, true, true, true, false, false, false, false]);
});
