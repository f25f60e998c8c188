import { expect, test } from 'vitest';
import { ItemOrder } from './item-order.ts';

function orderOf(items: [id: string, ...after: string[]][]): ItemOrder {
  const order = new ItemOrder();
  for (const [id, ...after] of items) expect(order.add(id, after)).toBeNull();
  return order;
}

test('accepts items in any order without cycles', () => {
  const order = orderOf([['c', 'b', 'a'], ['a'], ['b', 'a', 'a'], ['d', 'c', 'b'], ['e']]);
  expect(order.problems(20)).toEqual([]);
  expect([order.size, order.ordered]).toEqual([5, true]);
  expect(orderOf([['a'], ['b']]).ordered).toBe(false);
});

test('rejects a duplicate id', () => {
  const order = orderOf([['a'], ['b']]);
  expect(order.add('a', [])).toBe('is already used by item 0');
});

test('names unknown items', () => {
  const order = orderOf([['a'], ['b', 'a', 'z'], ['c', 'y']]);
  expect(order.problems(20)).toEqual([
    { path: 'body.items.1.after.1', message: 'item "z" does not exist' },
    { path: 'body.items.2.after.0', message: 'item "y" does not exist' },
  ]);
  expect(order.problems(1)).toHaveLength(1);
});

test.each([
  [[['a', 'a']], ['body.items.0.after']],
  [
    [['a', 'b'], ['b', 'c'], ['c', 'a'], ['d']],
    ['body.items.0.after', 'body.items.1.after', 'body.items.2.after'],
  ],
  [
    [['x'], ['a', 'x', 'b'], ['b', 'a'], ['after', 'b']],
    ['body.items.1.after', 'body.items.2.after', 'body.items.3.after'],
  ],
] as [[string, ...string[]][], string[]][])('finds cycles of %j', (items, paths) => {
  expect(
    orderOf(items)
      .problems(20)
      .map(({ path }) => path),
  ).toEqual(paths);
});

test('handles a chain of ten thousand items', () => {
  const order = new ItemOrder();
  for (let index = 0; index < 10_000; index += 1) order.add(`i${index}`, index === 0 ? [] : [`i${index - 1}`]);
  const began = performance.now();
  expect(order.problems(20)).toEqual([]);
  expect(performance.now() - began).toBeLessThan(10_000);
});
