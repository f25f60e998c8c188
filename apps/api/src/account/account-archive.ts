import { assetFactsOf } from '@chorus/assets';
import {
  ChorusError,
  NO_INSTRUCTIONS,
  type Owner,
  type Page,
  personalScope,
  type SessionQuery,
  type User,
} from '@chorus/contract';
import { exportJson } from '@chorus/conversations';
import type { AssetRecord } from '@chorus/database';
import { presentEntry } from '@chorus/knowledge';
import { presentUnit } from '../archive/send-export.ts';
import type { Services } from '../services.ts';
import { MAX_ENTRY_BYTES, ZipWriter } from './zip-writer.ts';

const PAGE = 50;

/** Size at which a file of lines ends and another one continues. */
const PART_BYTES = 1_000_000_000;

const README = `Your data in Chorus.

account.json          your profile, custom instructions, and workspaces
api-keys.ndjson       your API keys, without their secrets
activity.ndjson       your audit log
personal/             what you made in your personal scope
workspaces/<id>/      what you made in a workspace

In each scope:

conversations.ndjson  conversations with their messages, which Chorus can import
folders.ndjson        folders of conversations
documents.ndjson      documents, with the file of each in source.asset_id
files.ndjson          uploaded and generated files
files/                their contents, unless you left them out
agents.ndjson, prompts.ndjson, archive.ndjson
jobs.ndjson           work with its input and output

Files that end in .ndjson have a JSON object on each line.
`;

type Parts = Pick<Services, 'database' | 'accounts' | 'assets' | 'log'>;

export interface ArchiveOptions {
  /** Whether to include the contents of files. */
  files: boolean;
}

/** Yields everything that belongs to a user as a ZIP file. */
export async function* accountArchive(
  services: Parts,
  user: User,
  options: ArchiveOptions,
): AsyncGenerator<Uint8Array> {
  const { database, accounts } = services;
  const zip = new ZipWriter();
  const modified = new Date();
  const text = (name: string, content: string) => zip.entry(name, piecesOf(content), { modified });
  const lines = (name: string, records: AsyncIterable<string>) => linesOf(zip, name, records, modified);

  const memberships = pages((after) => database.workspaces.listOfUser(user.id, { limit: PAGE, after }));
  const workspaces = [];
  for await (const { workspace_id, role } of memberships) {
    const name = (await database.workspaces.get(workspace_id))?.name ?? null;
    workspaces.push({ id: workspace_id, name, role });
  }
  const instructions = (await database.users.getInstructions(user.id)) ?? NO_INSTRUCTIONS;
  const account = { ...user, custom_instructions: instructions, workspaces };
  yield* text('README.txt', README);
  yield* text('account.json', `${JSON.stringify(account, null, 2)}\n`);
  yield* lines(
    'api-keys',
    records((after) => accounts.apiKeys.list(user.id, { limit: PAGE, after })),
  );
  yield* lines(
    'activity',
    records((after) => accounts.audit.list(personalScope(user.id), { limit: PAGE, after })),
  );
  const own: Owner = { scope: 'personal', user_id: user.id, workspace_id: null };
  yield* scopeEntries(services, zip, own, 'personal', options);
  for (const { id } of workspaces) {
    const owner: Owner = { scope: 'workspace', user_id: user.id, workspace_id: id };
    yield* scopeEntries(services, zip, owner, `workspaces/${id}`, options);
  }
  yield* zip.end();
}

async function* scopeEntries(
  services: Parts,
  zip: ZipWriter,
  owner: Owner,
  folder: string,
  options: ArchiveOptions,
): AsyncGenerator<Uint8Array> {
  const { database } = services;
  const modified = new Date();
  const lines = (name: string, found: AsyncIterable<string>) => linesOf(zip, `${folder}/${name}`, found, modified);
  const listed = <T extends { owner: Owner }>(
    list: (owner: Owner, query: { limit: number; after?: string; mine: true }) => Promise<Page<T>>,
    present: (record: T) => object = ({ owner: _, ...fields }) => fields,
  ) => records((after) => list(owner, { limit: PAGE, mine: true, ...(after !== undefined && { after }) }), present);

  yield* lines('conversations', conversations(services, owner));
  yield* lines('folders', listed(database.folders.list));
  yield* lines(
    'documents',
    listed(database.knowledge.list, (record) => presentEntry(record)),
  );
  yield* lines('agents', listed(database.agents.list));
  yield* lines('prompts', listed(database.prompts.list));
  yield* lines('archive', listed(database.archive.list, presentUnit));
  yield* lines('jobs', jobs(database, owner));
  yield* lines('files', listed(database.assets.list, assetFactsOf));
  if (!options.files) return;
  const mine = (after: string | undefined) =>
    database.assets.list(owner, { limit: PAGE, mine: true, ...(after && { after }) });
  for await (const asset of pages(mine))
    if (asset.size_bytes <= MAX_ENTRY_BYTES) yield* fileEntry(services, zip, asset, folder);
}

async function* fileEntry({ assets, log }: Parts, zip: ZipWriter, asset: AssetRecord, folder: string) {
  const { id, filename, created_at } = asset;
  const content = await assets.read(asset).catch((error) => {
    if (error instanceof ChorusError && error.code === 'not_found') return null;
    throw error;
  });
  if (content === null) {
    log.warn({ asset_id: id }, 'left out of an archive: its bytes are missing');
    return;
  }
  const name = filename === null ? id : `${id}-${filename}`;
  yield* zip.entry(`${folder}/files/${name}`, content, { modified: created_at, compress: asset.kind === 'document' });
}

/** Yields a line for each session. Their ids are read first, since a turn moves its session in the list. */
export async function* conversations({ database }: Pick<Services, 'database'>, owner: Owner): AsyncGenerator<string> {
  const ids: string[] = [];
  for (const archived of [false, true]) {
    const found = pages((after) => {
      const query: SessionQuery = { limit: 100, archived, ...(after !== undefined && { after }) };
      return database.sessions.list(owner, query);
    });
    for await (const { id } of found) ids.push(id);
  }
  for (const id of ids) {
    const session = await database.sessions.get(owner, id);
    if (session === null) continue;
    yield* exportJson(database, owner, session);
    yield '\n';
  }
}

/** Yields a line for each execution, but not for those of temporary sessions, which are not kept. */
async function* jobs({ executions, sessions }: Services['database'], owner: Owner): AsyncGenerator<string> {
  let last = { sessionId: '', isTemporary: false };
  const isTemporary = async (sessionId: string) => {
    if (last.sessionId !== sessionId) {
      const session = await sessions.get(owner, sessionId);
      last = { sessionId, isTemporary: session?.temporary === true };
    }
    return last.isTemporary;
  };
  const list = (after: string | undefined) =>
    executions.list(owner, { limit: PAGE, mine: true, ...(after !== undefined && { after }) });
  for await (const record of pages(list)) {
    if (record.session_id !== null && (await isTemporary(record.session_id))) continue;
    const { id, kind, status, model, input, output, usage, metadata, created_at } = record;
    yield `${JSON.stringify({ id, kind, status, model, input, output, usage, metadata, created_at })}\n`;
  }
}

/** Yields lines as one entry, as several if they are long, or as none if there are no lines. */
async function* linesOf(
  zip: ZipWriter,
  name: string,
  lines: AsyncIterable<string>,
  modified: Date,
): AsyncGenerator<Uint8Array> {
  const pieces = lines[Symbol.asyncIterator]();
  let next = await pieces.next();
  const part = async function* () {
    for (let size = 0; !next.done; ) {
      const { value } = next;
      const bytes = Buffer.from(value);
      size += bytes.length;
      yield bytes;
      next = await pieces.next();
      if (size >= PART_BYTES && value.endsWith('\n')) return;
    }
  };
  for (let count = 1; !next.done; count += 1)
    yield* zip.entry(`${name}${count === 1 ? '' : `-${count}`}.ndjson`, part(), { modified });
}

/** Yields records as lines. */
async function* records<T>(
  list: (after: string | undefined) => Promise<Page<T>>,
  present: (record: T) => unknown = (record) => record,
): AsyncGenerator<string> {
  for await (const record of pages(list)) yield `${JSON.stringify(present(record))}\n`;
}

async function* pages<T>(list: (after: string | undefined) => Promise<Page<T>>): AsyncGenerator<T> {
  for (let after: string | null | undefined; after !== null; ) {
    const page = await list(after);
    yield* page.data;
    after = page.next_cursor;
  }
}

async function* piecesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
