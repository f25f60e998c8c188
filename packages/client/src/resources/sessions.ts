import type { CallOptions } from '../client-options.ts';
import { executingCall } from '../executing.ts';
import { idleMsOf } from '../execution-frames.ts';
import type { SessionExport } from '../generated/api-types.ts';
import { type ImportOptions, importSessions } from '../import-sessions.ts';
import type { BodyOf, QueryOf } from '../operations.ts';
import { iterateItems } from '../pages.ts';
import { parseJson, readLines } from '../read-response.ts';
import type { Transport } from '../transport.ts';

export function createSessions(transport: Transport) {
  const path = (id: string) => ({ path: { session_id: id } });
  return {
    /** Creates an empty session. A chat turn without `session_id` also creates one. */
    create: (body?: BodyOf<'POST /sessions'>, options?: CallOptions) =>
      transport.request('POST /sessions', { body: body ?? {} }, options),
    /** Returns a session. */
    get: (id: string, options?: CallOptions) => transport.request('GET /sessions/{session_id}', path(id), options),
    /**
     * Returns one page of sessions: pinned ones first, then the newest. With `q`, the best matches
     * come first.
     */
    list: (query?: QueryOf<'GET /sessions'>, options?: CallOptions) =>
      transport.request('GET /sessions', { query }, options),
    /** Iterates over all sessions, in the order of `list`. */
    all: (query?: QueryOf<'GET /sessions'>, options?: CallOptions) =>
      iterateItems(transport, 'GET /sessions', { query }, options),
    /** Renames, pins, stars, archives, or moves a session. */
    update: (id: string, body: BodyOf<'PATCH /sessions/{session_id}'>, options?: CallOptions) =>
      transport.request('PATCH /sessions/{session_id}', { ...path(id), body }, options),
    /** Creates a session with copies of the messages up to `message_id`, or of all. */
    fork: (id: string, body?: BodyOf<'POST /sessions/{session_id}/fork'>, options?: CallOptions) =>
      transport.request('POST /sessions/{session_id}/fork', { ...path(id), body: body ?? {} }, options),
    /** Creates a link to the current state of the session. Only this response contains its `url`. */
    share: (id: string, body?: BodyOf<'POST /sessions/{session_id}/shares'>, options?: CallOptions) =>
      transport.request('POST /sessions/{session_id}/shares', { ...path(id), body: body ?? {} }, options),
    /** Returns a session as text: JSON, which `import` reads, or Markdown. */
    export: (id: string, format: 'json' | 'markdown' = 'json', options?: CallOptions) => {
      const input = { ...path(id), query: { format } };
      return transport.send('GET /sessions/{session_id}/export', input, options, (response) => response.text());
    },
    /** Iterates over all sessions with their messages. */
    async *exportAll(options: CallOptions = {}): AsyncGenerator<SessionExport> {
      const { signal } = options;
      const response = await transport.open('GET /sessions/export', {}, options);
      for await (const line of readLines(response, idleMsOf(transport), signal)) yield parseJson<SessionExport>(line);
    },
    /**
     * Imports conversations that Chorus, ChatGPT, LibreChat, or Open WebUI exported. Large files take several requests.
     * Conversations that were imported before are skipped.
     *
     * @example
     * const { imported, data } = await chorus.sessions.import(await readFile('conversations.json', 'utf8'));
     */
    import: (file: Blob | string | readonly unknown[], options?: ImportOptions) =>
      importSessions(transport, file, options),
    /** Lets a model write the title of the session. New sessions get one after their first answer. */
    title: executingCall(transport, 'POST /sessions/title'),
    /** Deletes a session with its messages. Throws `session_locked` while a turn runs. */
    delete: (id: string, options?: CallOptions) =>
      transport.request('DELETE /sessions/{session_id}', path(id), options),
  };
}
