import { createLogger } from '@chorus/log';
import { openSearch } from './open-search.ts';
import { chunk, SPACE } from './test-search.ts';

/**
 * A process of its own that replaces entries again and again: each revision has as many chunks as its number modulo 7, and one more, all of
 * which say that revision. Tells each replacement that was acknowledged by a line.
 */
const [location = '', name = '', entries = '1', rounds = '1'] = process.argv.slice(2);
const search = openSearch({ location, log: createLogger({ name: 'writer', level: 'silent' }) });
const table = await search.chunks(SPACE);
for (let round = 0; round < Number(rounds); round += 1) {
  const entry = `${name}-${round % Number(entries)}`;
  const revision = round + 1;
  const text = `fox revision${revision}`;
  const rows = Array.from({ length: (revision % 7) + 1 }, (_, at) => chunk('a', entry, at, { revision, text }));
  await table.replace('a', entry, rows);
  process.stdout.write(`${entry} ${revision}\n`);
}
search.close();
