import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const CLASS = /\bm_[0-9a-f]+\b/g;

const classesOf = (text: string) => new Set(text.match(CLASS));

test('ships the styles of every Mantine class that it uses', () => {
  execFileSync(process.execPath, [join(import.meta.dirname, 'build.mjs')]);
  const folder = join(import.meta.dirname, 'dist/assets');
  const read = (extension: string) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(extension))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n');
  const used = classesOf(read('.js'));
  const shipped = classesOf(read('.css'));
  // Mantine gives some elements a class without a rule.
  const styled = classesOf(readFileSync(createRequire(import.meta.url).resolve('@mantine/core/styles.css'), 'utf8'));
  expect(used.size).toBeGreaterThan(100);
  expect([...used].filter((name) => styled.has(name) && !shipped.has(name))).toEqual([]);
});
