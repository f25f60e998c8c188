import '../../../i18n/use-english.ts';
import { expect, test } from 'vitest';
import { dateGroup } from './date-groups.ts';

const today = new Date(2026, 2, 15, 9, 30);
const at = (...parts: [number, number, number, number?]) => new Date(...parts).toISOString();

test.each([
  [at(2026, 2, 15, 0), 'Today'],
  // The clock of the server may be ahead.
  [at(2026, 2, 16, 1), 'Today'],
  [at(2026, 2, 14, 23), 'Yesterday'],
  [at(2026, 2, 13, 23), 'Previous 7 days'],
  [at(2026, 2, 8), 'Previous 7 days'],
  [at(2026, 2, 7, 23), 'Previous 30 days'],
  [at(2026, 1, 13), 'Previous 30 days'],
  [at(2026, 1, 12, 23), 'February'],
  [at(2026, 0, 1), 'January'],
  [at(2025, 11, 31, 23), 'December 2025'],
])('%s is listed under %s', (time, group) => expect(dateGroup(time, today)).toBe(group));
