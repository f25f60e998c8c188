import { expect, it } from 'vitest';
import { networkOf } from './network-address.ts';

it('keeps an IPv4 address, and reduces an IPv6 address to its /64', () => {
  expect(networkOf('192.0.2.7')).toBe('192.0.2.7');
  expect(networkOf('::ffff:192.0.2.7')).toBe('192.0.2.7');
  expect(networkOf('2001:DB8:0:1:2:3:4:5')).toBe('2001:db8:0:1::/64');
  expect(networkOf('2001:db8::9')).toBe('2001:db8:0:0::/64');
  expect(networkOf('2001:0db8:0000:0000:1::')).toBe('2001:db8:0:0::/64');
  expect(networkOf('fe80::1%eth0')).toBe('fe80:0:0:0::/64');
  expect(networkOf('::1')).toBe('0:0:0:0::/64');
  expect(networkOf('somewhere')).toBe('somewhere');
});
