import { createLogger } from '@chorus/runtime/log';
import { openSearch } from './open-search.ts';
import { chunk, SPACE } from './test-search.ts';

/**
 * A separate process that keeps replacing entries. Each revision has `revision % 7 + 1` chunks that contain its
 * number. Prints a line for each acknowledged replacement.
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
