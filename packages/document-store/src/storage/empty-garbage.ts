import type { StatementSync } from 'node:sqlite';
import type { Catalog } from './catalog.ts';
import type { Engine } from './engine.ts';
import { sliceIsOver } from './turns.ts';

const ROWS = 32;

/** Empties and drops the tables of dropped collections and indexes, a few rows at a time. */
export function* emptyGarbage(engine: Engine, catalog: Catalog): Generator<undefined, void> {
  for (const table of catalog.garbage) {
    const deleteRows = prepareDelete(engine, table);
    for (let isEmpty = false; !isEmpty; ) {
      yield;
      do {
        engine.beforeWrite();
        isEmpty = Number(deleteRows.run(ROWS).changes) < ROWS;
      } while (!isEmpty && !sliceIsOver());
    }
    engine.execute(`DROP TABLE ${table}`);
    catalog.garbage.delete(table);
    engine.onRollback(() => catalog.garbage.add(table));
  }
}

function prepareDelete(engine: Engine, table: string): StatementSync {
  const key = table.startsWith('documents') ? 'record' : 'key, record';
  return engine.prepare(`DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} ORDER BY ${key} LIMIT ?)`);
}
