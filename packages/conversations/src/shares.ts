import { createHash, randomBytes } from 'node:crypto';
import {
  type AuditContext,
  bytesOfId,
  ChorusError,
  checkRecordLimit,
  isTerminal,
  type ListQuery,
  MAX_SHARED_MESSAGES,
  newId,
  type Owner,
  type Page,
  type ShareCreate,
  scopeKey,
} from '@chorus/contract';
import {
  type Database,
  invalidCursor,
  type MessageRecord,
  type SharedMessageRecord,
  type ShareRecord,
} from '@chorus/database';
import { unknownMessage, unknownSession } from './refusals.ts';

type ShareStore = Pick<Database, 'shares' | 'sessions' | 'messages' | 'assets'>;

const PAGE = 100;

const TOKEN_BYTES = 32;

/**
 * Creates a link to the current state of a conversation, up to a message. The token is not stored.
 *
 * @throws {ChorusError} `not_found`; `invalid_request` if there is nothing to share; `payload_too_large`;
 * `limit_reached`
 */
export async function createShare(
  store: ShareStore,
  owner: Owner,
  sessionId: string,
  { message_id, expires_at = null }: ShareCreate,
  { actor, audit }: AuditContext,
): Promise<{ share: ShareRecord; token: string }> {
  const [session, last] = await Promise.all([
    store.sessions.get(owner, sessionId),
    message_id === undefined ? null : store.messages.get(owner, message_id),
  ]);
  if (session === null) throw unknownSession();
  if (message_id !== undefined && (last === null || last.session_id !== sessionId)) throw unknownMessage();
  if (last !== null && last.superseded_by !== null)
    throw refused('This message is no longer part of its conversation.');
  await checkRecordLimit('shares', (most) => store.shares.count(owner, most));
  const messages = await messagesUpTo(store, owner, sessionId, last?.position ?? Number.MAX_SAFE_INTEGER);
  if (messages.length === 0) throw refused('This conversation has no messages to share yet.');
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const share: ShareRecord = {
    id: newId('share'),
    owner,
    session_id: sessionId,
    token_hash: hashOf(token),
    messages,
    created_at: new Date(),
    expires_at,
  };
  await store.shares.insert(share);
  // A concurrent deletion of the session may have missed the link.
  if ((await store.sessions.get(owner, sessionId)) === null) {
    await store.shares.remove(owner, share.id);
    throw unknownSession();
  }
  const target = { type: 'share', id: share.id };
  await audit.record(actor, { scope_key: scopeKey(owner), action: 'share.created', target });
  return { share, token };
}

/**
 * @param of `scope`: a link of any member. Default: the owner's
 * @throws {ChorusError} `not_found`
 */
export async function revokeShare(
  { shares }: Pick<Database, 'shares'>,
  owner: Owner,
  id: string,
  { actor, audit }: AuditContext,
  of: 'owner' | 'scope' = 'owner',
): Promise<void> {
  const removed = of === 'owner' ? shares.remove(owner, id) : shares.removeOfScope(owner, id);
  if (!(await removed)) throw new ChorusError('not_found', 'Link not found.');
  await audit.record(actor, { scope_key: scopeKey(owner), action: 'share.revoked', target: { type: 'share', id } });
}

/** Returns the link of a token. Null: it is unknown, revoked, or expired, or its owner may no longer share. */
export async function openShare(
  { shares, users, workspaces }: Pick<Database, 'shares' | 'users' | 'workspaces'>,
  token: string,
): Promise<ShareRecord | null> {
  const share = await shares.findByToken(hashOf(token));
  if (share === null || (share.expires_at !== null && share.expires_at <= new Date())) return null;
  const { user_id, workspace_id } = share.owner;
  const [user, role] = await Promise.all([
    users.findById(user_id),
    workspace_id === null ? 'owner' : workspaces.membership(workspace_id, user_id),
  ]);
  return user === null || user.disabled_at !== null || role === null ? null : share;
}

/** A message with the text that it had when it was shared. */
export interface ShownMessage extends Pick<MessageRecord, 'role' | 'content' | 'citations' | 'created_at'> {
  number: number;
  images: string[];
}

/** Returns a page of a link's messages, without deleted ones. */
export async function sharedMessages(
  store: Pick<Database, 'messages' | 'messageRevisions'>,
  { owner, session_id, messages }: ShareRecord,
  { after, limit }: ListQuery,
): Promise<Page<ShownMessage>> {
  const from = after === undefined ? 0 : placeOf(after);
  const some = messages.slice(from, from + limit);
  const found = await Promise.all(some.map(({ id }) => store.messages.get(owner, id)));
  const shown = await Promise.all(
    found.map(async (message, index): Promise<ShownMessage | null> => {
      const { revision, images } = some[index] as SharedMessageRecord;
      if (message === null || message.session_id !== session_id) return null;
      const isCurrent = message.effective_revision === revision;
      const text = isCurrent ? message : await store.messageRevisions.get(owner, message.id, revision);
      if (text === null) return null;
      const { content, citations } = text;
      const { role, created_at } = message;
      return { role, content, citations, created_at, images, number: from + index + 1 };
    }),
  );
  const next_cursor = from + limit < messages.length ? String(from + limit) : null;
  return { data: shown.filter((one) => one !== null), has_more: next_cursor !== null, next_cursor };
}

function placeOf(cursor: string): number {
  if (!/^\d{1,6}$/.test(cursor)) throw invalidCursor();
  return Number(cursor);
}

/** Returns whether a link shows an image: one of a message that still exists. */
export async function showsImage(
  { messages: store }: Pick<Database, 'messages'>,
  { owner, messages }: ShareRecord,
  assetId: string,
): Promise<boolean> {
  for (const { id } of messages.filter(({ images }) => images.includes(assetId)))
    if ((await store.get(owner, id)) !== null) return true;
  return false;
}

async function messagesUpTo(
  store: Pick<Database, 'messages' | 'assets'>,
  owner: Owner,
  sessionId: string,
  position: number,
): Promise<SharedMessageRecord[]> {
  const shared: SharedMessageRecord[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const query = { limit: PAGE, ...(after !== undefined && { after }) };
    const page = await store.messages.listBySession(owner, sessionId, query);
    const upTo = page.data.filter((message) => message.position <= position);
    for (const message of upTo) {
      // Answers that are being written, and any later messages, are not shared.
      if (!isTerminal(message.status)) return shared;
      const images = await imagesOf(store, owner, message);
      if (message.role === 'tool' || (message.content === '' && images.length === 0)) continue;
      if (shared.length === MAX_SHARED_MESSAGES) {
        const most = MAX_SHARED_MESSAGES.toLocaleString('en');
        throw new ChorusError(
          'payload_too_large',
          `A link shows at most ${most} messages. Share up to an earlier one.`,
          {
            details: [{ path: 'body.message_id', message: 'must be an earlier message' }],
          },
        );
      }
      shared.push({ id: message.id, revision: message.effective_revision, images });
    }
    after = upTo.length < page.data.length ? null : page.next_cursor;
  }
  return shared;
}

/** Returns the images that a message shows: its attachments, and those generated by its tools. */
async function imagesOf(
  { assets }: Pick<Database, 'assets'>,
  owner: Owner,
  { attachments, steps = [], execution_id: turn }: MessageRecord,
): Promise<string[]> {
  const made = steps
    .flatMap((step) => step.tool_calls)
    .filter(({ status }) => status === 'succeeded')
    .flatMap(({ name, result }) => [...(result ?? '').matchAll(name === IMAGE_TOOL ? NAMED_ASSET : MADE_ASSET)])
    .map(([, id = '']) => id);
  const ids = [...new Set([...attachments, ...made])].slice(0, MAX_IMAGES);
  const found = await Promise.all(ids.map((id) => assets.get(owner, id)));
  const own = new Set(attachments);
  return found.flatMap((asset) =>
    asset?.kind === 'image' && (own.has(asset.id) || isOfTurn(asset.execution_id, turn)) ? [asset.id] : [],
  );
}

/**
 * Whether an execution is a turn, or makes an image for it. Third parties write results, which may claim any file. The
 * ids of both begin with the same time: see `imageJobId` in `packages/agent-tools`.
 */
function isOfTurn(maker: string | null, turn: string | null): boolean {
  if (maker === null || turn === null) return false;
  const timeOf = (id: string) => bytesOfId(id).subarray(0, 6);
  return maker === turn || Buffer.compare(timeOf(maker), timeOf(turn)) === 0;
}

const MAX_IMAGES = 100;
/** How tool results name generated files. The console reads them the same way. */
const IMAGE_TOOL = 'generate_image';
const NAMED_ASSET = /\b(ast_\w{26})\b/g;
const MADE_ASSET = /: asset (ast_\w{26}),/g;

const hashOf = (token: string) => createHash('sha256').update(token).digest('base64url');

function refused(message: string): ChorusError {
  return new ChorusError('invalid_request', message, {
    details: [{ path: 'body.message_id', message: 'must be a message of the conversation' }],
  });
}
