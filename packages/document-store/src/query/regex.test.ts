import { describe, expect, test, vi } from 'vitest';
import { MemoryBudget } from '../memory.ts';
import { beginSlice } from '../storage/scheduler.ts';
import { compileRegex } from './regex.ts';
import { translatePattern } from './regex-syntax.ts';

describe('compileRegex', () => {
  test.each<[string, string, string[], string[]]>([
    ['^a', '', ['abc'], ['ba']],
    ['B', 'i', ['abc'], ['ac']],
    ['^b', 'm', ['a\nb'], ['ab']],
    ['a.b', '', ['axb', 'a😀b'], ['a\nb', 'ab']],
    ['a.b', 's', ['a\nb'], []],
    ['a b  # note\n c', 'x', ['abc'], ['a b c']],
    ['(?i)abc', '', ['ABC'], ['abd']],
    ['(?:x|y)z', '', ['yz'], ['z']],
    ['\\-\\_\\@', '', ['-_@'], ['x']],
    ['\\Aab\\z', '', ['ab'], ['abc', 'ab\n']],
    ['ab\\Z', '', ['ab', 'ab\n'], ['abc']],
    ['[[:alpha:]]+[[:digit:]]', '', ['ab1'], ['1']],
    ['[]a]', '', [']'], ['b']],
    ['\\Qa.b*\\E', '', ['a.b*'], ['axb']],
    ['(?P<n>a)\\k<n>', '', ['aa'], ['ab']],
    ['\\x{2e}', '', ['.'], ['a']],
    ['\\x{1F600}', '', ['😀'], ['a']],
    ['é', 'i', ['É'], ['e']],
    ['(?<!a)b', '', ['cb'], ['ab']],
    ['', '', ['', 'x'], []],
  ])('/%s/%s', (pattern, options, yes, no) => {
    const test = compileRegex(pattern, options);
    for (const text of yes) expect(test(text), text).toBe(true);
    for (const text of no) expect(test(text), text).toBe(false);
  });

  test.each([
    ['(a+)+$', 'a'.repeat(60)],
    ['^(a|a)*$', 'a'.repeat(60)],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(60)],
    ['.*.*.*.*=x', 'a'.repeat(20_000)],
    ['a*b', 'a'.repeat(1_000_000)],
    ['^(a|a|a|a|a|a|a|a)*$', 'a'.repeat(12)],
    ['(a{1,100}){1,100}$', 'a'.repeat(200)],
  ])('interrupts %s', (pattern, text) => {
    const test = compileRegex(pattern, '');
    const run = () => {
      for (let count = 0; count < 100_000; count += 1) test(`${text}!`);
    };
    beginSlice();
    expect(() => new MemoryBudget().openAccount().run(run)).toThrow(expect.objectContaining({ code: 51156 }));
  });

  test('interrupts outside of commands too while the machine is busy', () => {
    const usage = process.threadCpuUsage.bind(process);
    using _busy = vi.spyOn(process, 'threadCpuUsage').mockImplementation(() => ({ user: usage().user / 3, system: 0 }));
    const test = compileRegex('(a+)+$', '');
    expect(() => test(`${'a'.repeat(60)}!`)).toThrow(expect.objectContaining({ code: 51156 }));
  });

  test('runs a dangerous pattern on a short text', () => {
    const test = compileRegex('^(\\w+\\s?)*$', '');
    expect(test('some words here')).toBe(true);
    expect(test('no!')).toBe(false);
    const long = compileRegex('^(foo|bar)+$', '');
    for (let count = 0; count < 2000; count += 1) expect(long('foobar'.repeat(50))).toBe(true);
  });

  test('gives common patterns a low cost', () => {
    const cost = (pattern: string) => translatePattern(pattern, '').cost;
    expect(cost('^abc')).toEqual({ degree: 0, factor: 1, exponential: false });
    expect(cost('abc')).toMatchObject({ degree: 1 });
    expect(cost('.*abc.*')).toMatchObject({ degree: 2 });
    expect(cost('^[^@]+@[^@]+$')).toMatchObject({ degree: 2 });
    expect(cost('^(?:foo|bar|qux)+$')).toEqual({ degree: 1, factor: 1, exponential: false });
    expect(cost('foo|bar|qux')).toEqual({ degree: 1, factor: 3, exponential: false });
    for (const pattern of [
      '(a+)+$',
      '(a|a)+$',
      '(a|ab)*$',
      '(?:a|[ab])+$',
      '(|a)+$',
      '(a|)+$',
      '((a|b)+c)+',
      '(a|A)*$',
    ]) {
      expect(cost(pattern), pattern).toMatchObject({ exponential: true });
    }
  });

  test('rejects malformed and oversized patterns', () => {
    expect(() => compileRegex('(', '')).toThrow(expect.objectContaining({ code: 51091 }));
    expect(() => compileRegex('a'.repeat(40_000), '')).toThrow(expect.objectContaining({ code: 51091 }));
    expect(() => compileRegex('a\0b', '')).toThrow(expect.objectContaining({ code: 2 }));
    expect(() => compileRegex('a', 'q')).toThrow(expect.objectContaining({ code: 51108 }));
  });
});
