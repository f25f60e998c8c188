import type { Outbound } from '@chorus/outbound';
import type { Logger } from '@chorus/runtime/log';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { redactor } from '../redact.ts';
import { DEFAULT_MCP_LIMITS, McpConnection, type McpLimits, type McpServer } from './mcp-connection.ts';
import type { CallResult, ListedTool } from './mcp-schemas.ts';
import { OneAtATime } from './one-at-a-time.ts';
import { toFailure } from './to-failure.ts';

export interface McpPoolOptions {
  outbound: Pick<Outbound, 'request'>;
  log: Logger;
  limits?: Partial<McpLimits>;
  /** Unused connections are closed after this time. */
  unusedMs?: number;
  /** Lists of tools are refreshed after this time. */
  listMs?: number;
  /** A server that did not respond is retried after this time. */
  failureMs?: number;
}

interface Entry {
  server: McpServer;
  connection: Promise<McpConnection> | null;
  users: number;
  /** Number of times the server has changed its tools. */
  changes: number;
  closing: NodeJS.Timeout | undefined;
  tools: { list: ListedTool[]; at: number } | null;
  listing: Promise<ListedTool[]> | null;
  /** A failure that other callers would also wait for. */
  failure: { error: unknown; until: number } | null;
}

const MAX_ENTRIES = 500;

/** Faster failures, as a share of the time to connect, are not cached, since retrying costs little. */
const QUICK_SHARE = 1 / 15;

/** Connections to MCP servers, one per server, and their lists of tools. */
export class McpPool {
  readonly #options: McpPoolOptions;
  readonly #limits: McpLimits;
  readonly #unusedMs: number;
  readonly #listMs: number;
  readonly #failureMs: number;
  readonly #entries = new Map<string, Entry>();
  readonly #listings = new OneAtATime();

  constructor(options: McpPoolOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_MCP_LIMITS, ...options.limits };
    this.#unusedMs = options.unusedMs ?? 60_000;
    this.#listMs = options.listMs ?? 300_000;
    this.#failureMs = options.failureMs ?? 30_000;
  }

  /**
   * Returns a server's tools, which are cached for some minutes. If they cannot be refreshed, keeps the last list.
   * @param retry retries a server even if it did not respond a moment ago
   * @throws {McpFailure} or the signal's reason
   */
  async tools(server: McpServer, signal: AbortSignal, retry = false): Promise<ListedTool[]> {
    const entry = this.#entryOf(server);
    if (retry) entry.failure = null;
    const { tools } = entry;
    if (tools !== null && performance.now() - tools.at < this.#listMs) return tools.list;
    entry.listing ??= this.#list(entry).finally(() => {
      entry.listing = null;
    });
    try {
      return await abortable(entry.listing, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (tools === null || tools.list.length === 0) throw error;
      const reason = redactor(Object.values(server.headers))(toFailure(error).message);
      this.#options.log.warn({ server_id: server.id, reason }, 'using the last list of tools of an MCP server');
      return tools.list;
    }
  }

  /**
   * Calls a tool. Calls that the server has not run are repeated once over a new connection, and others, too, if that
   * is harmless.
   * @throws {McpFailure} or the signal's reason
   */
  async call(
    server: McpServer,
    name: string,
    args: Record<string, unknown>,
    { signal, repeatable, key }: { signal: AbortSignal; repeatable: boolean; key?: string | undefined },
  ): Promise<CallResult> {
    const entry = this.#entryOf(server);
    const reused = entry.connection !== null;
    try {
      return await this.#use(entry, signal, (connection) => connection.callTool(name, args, signal, key));
    } catch (error) {
      signal.throwIfAborted();
      const failure = toFailure(error);
      const mayRepeat = failure.notRun || (repeatable && entry.connection === null);
      if (!reused || !mayRepeat) throw failure;
      return this.#use(entry, signal, (connection) => connection.callTool(name, args, signal, key));
    }
  }

  async close(): Promise<void> {
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    await Promise.all(entries.map((entry) => this.#disconnect(entry)));
  }

  #entryOf(server: McpServer): Entry {
    const key = `${server.id} ${server.version}`;
    const known = this.#entries.get(key);
    const entry: Entry = known ?? {
      server,
      connection: null,
      users: 0,
      changes: 0,
      closing: undefined,
      tools: null,
      listing: null,
      failure: null,
    };
    // The last one is the most recently used.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (known === undefined) this.#evict();
    return entry;
  }

  #evict(): void {
    for (const [key, entry] of this.#entries) {
      if (this.#entries.size <= MAX_ENTRIES) return;
      if (entry.users > 0) continue;
      this.#entries.delete(key);
      void this.#disconnect(entry);
    }
  }

  async #list(entry: Entry): Promise<ListedTool[]> {
    const { changes } = entry;
    const { owner } = entry.server;
    const inTurn = (connection: McpConnection) => this.#listings.run(owner, () => connection.listTools());
    const list = await this.#noteFailure(entry, () => this.#use(entry, null, inTurn));
    entry.tools = { list, at: changes === entry.changes ? performance.now() : Number.NEGATIVE_INFINITY };
    return list;
  }

  async #use<T>(entry: Entry, signal: AbortSignal | null, work: (connection: McpConnection) => Promise<T>): Promise<T> {
    entry.users += 1;
    clearTimeout(entry.closing);
    try {
      const connecting = this.#connected(entry);
      const connection = await (signal === null ? connecting : abortable(connecting, signal));
      try {
        return await work(connection);
      } catch (error) {
        // An error reported by the server leaves the connection intact.
        if (!signal?.aborted && !(toFailure(error).cause instanceof McpError)) this.#drop(entry, connection);
        throw error;
      }
    } finally {
      entry.users -= 1;
      if (entry.users === 0) entry.closing = setTimeout(() => void this.#disconnect(entry), this.#unusedMs).unref();
    }
  }

  async #connected(entry: Entry): Promise<McpConnection> {
    const { connection: current } = entry;
    if (current !== null && !(await current).closed) return current;
    if (current !== entry.connection) return this.#connected(entry);
    const changed = () => {
      entry.changes += 1;
      if (entry.tools !== null) entry.tools.at = Number.NEGATIVE_INFINITY;
    };
    const { outbound } = this.#options;
    const opening = this.#noteFailure(entry, () => McpConnection.open(entry.server, outbound, this.#limits, changed));
    entry.connection = opening;
    opening.catch(() => {
      if (entry.connection === opening) entry.connection = null;
    });
    return opening;
  }

  /** Fails immediately if a server did not respond a moment ago, so that not every turn waits for it. */
  async #noteFailure<T>(entry: Entry, work: () => Promise<T>): Promise<T> {
    const began = performance.now();
    if (entry.failure !== null && began < entry.failure.until) throw entry.failure.error;
    try {
      const done = await work();
      entry.failure = null;
      return done;
    } catch (error) {
      const now = performance.now();
      const isSlow = now - began > this.#limits.connectMs * QUICK_SHARE;
      if (isSlow) entry.failure = { error, until: now + this.#failureMs };
      throw error;
    }
  }

  /** Keeps the connection open for other calls, which may still succeed. */
  #drop(entry: Entry, connection: McpConnection): void {
    entry.connection = null;
    void connection.retire();
  }

  async #disconnect(entry: Entry): Promise<void> {
    clearTimeout(entry.closing);
    const { connection } = entry;
    entry.connection = null;
    await connection?.then(
      (open) => open.close(),
      () => undefined,
    );
  }
}

/** Returns the result of shared work, or throws when this caller aborts. */
function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
