import { expect, test } from 'vitest';
import { findZone, tellDate, tellTime } from './clock.ts';

test.each([
  ['Europe/Berlin', 'Europe/Berlin'],
  ['europe/berlin', 'Europe/Berlin'],
  ['New York', 'America/New_York'],
  ['  são paulo ', null],
  ['Sao Paulo', 'America/Sao_Paulo'],
  ['Tokyo', 'Asia/Tokyo'],
  ['UTC', 'UTC'],
  ['GMT', 'UTC'],
  ['India', 'Asia/Kolkata'],
  ['US/Pacific', 'America/Los_Angeles'],
  ['+05:30', '+05:30'],
  ['Atlantis', null],
  ['constructor', null],
  ['../etc', null],
])('%s is in %s', (place, zone) => {
  expect(findZone(place)).toBe(zone);
});

test('formats the same moment in each zone', () => {
  const now = new Date('2026-11-20T23:05:09Z');
  expect(tellTime(now, 'UTC')).toBe('23:05:09 on Friday, 20 November 2026');
  expect(tellTime(now, 'Asia/Tokyo')).toBe('08:05:09 on Saturday, 21 November 2026');
  expect(tellDate(now, 'America/New_York')).toBe('Friday, 20 November 2026');
});
