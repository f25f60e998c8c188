import type { Document } from 'bson';
import { decode } from '../values/decode.ts';
import type { Catalog } from './catalog.ts';
import type { Collection } from './collection.ts';
import type { CollectionIndex } from './collection-index.ts';
import type { Engine } from './engine.ts';
import { verifyChecksum } from './stored-document.ts';

export interface IntegrityReport {
  collections: number;
  documents: number;
  entries: number;
  problems: string[];
}

const MAX_PROBLEMS = 100;

/**
 * Checks the file's structure, each document's checksum, and all index entries. Changes nothing.
 * Takes as long as reading the file and computing every key.
 */
export function checkIntegrity(engine: Engine, catalog: Catalog): IntegrityReport {
  const report: IntegrityReport = { collections: 0, documents: 0, entries: 0, problems: [] };
  const add = (problem: string) => {
    if (report.problems.length < MAX_PROBLEMS) report.problems.push(problem);
  };
  try {
    const found = engine.prepareRows(`PRAGMA integrity_check(${MAX_PROBLEMS})`).all() as unknown as [string][];
    for (const [problem] of found) if (problem !== 'ok') add(problem);
    for (const collection of catalog.allCollections()) {
      report.collections += 1;
      checkCollection(engine, collection, report, add);
    }
  } catch (error) {
    add((error as Error).message);
  }
  return report;
}

type AddProblem = (problem: string) => void;

function checkCollection(engine: Engine, collection: Collection, report: IntegrityReport, add: AddProblem): void {
  const indexes = collection.indexes.map((index) => new IndexCheck(engine, collection, index, add));
  for (const row of engine.prepareRows(`SELECT record, body FROM ${collection.table} ORDER BY record`).iterate()) {
    const [record, body] = row as unknown as [number, Uint8Array];
    report.documents += 1;
    try {
      const document = decode(verifyChecksum(body));
      for (const index of indexes) index.checkDocument(record, document);
    } catch (error) {
      add(`${collection.namespace}, record ${record}: ${(error as Error).message}`);
    }
  }
  for (const index of indexes) report.entries += index.checkEntries();
}

class IndexCheck {
  readonly #engine: Engine;
  readonly #index: CollectionIndex;
  readonly #report: AddProblem;
  #expected = 0;

  constructor(engine: Engine, collection: Collection, index: CollectionIndex, add: AddProblem) {
    this.#engine = engine;
    this.#index = index;
    this.#report = (problem) => add(`${collection.namespace}, index ${index.name}: ${problem}`);
  }

  checkDocument(record: number, document: Document): void {
    const { entries, multikey } = this.#index.computeEntries(document);
    this.#expected += entries.length;
    if (multikey && !this.#index.multikey)
      this.#report(`record ${record} has several keys, but the index is not multikey`);
    for (const { bytes } of entries) {
      if (!this.#index.has(bytes, record)) this.#report(`record ${record} is missing`);
    }
  }

  checkEntries(): number {
    const { table, definition } = this.#index;
    const count = this.#engine.readNumber(`SELECT count(*) FROM ${table}`);
    if (count !== this.#expected) this.#report(`${count} entries, but the documents have ${this.#expected}`);
    const repeated = `SELECT count(*) FROM (SELECT 1 FROM ${table} GROUP BY key HAVING count(*) > 1)`;
    if (definition.unique && this.#engine.readNumber(repeated) > 0) this.#report('unique keys are repeated');
    return count;
  }
}
