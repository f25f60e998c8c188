import type { Outbound } from '@chorus/outbound';
import { readBeforeGivingUp, valueWithin, withTimeout } from '@chorus/runtime/timing';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation';
import type { z } from 'zod';
import { type Exchange, exchanges, guardedFetch } from './guarded-fetch.ts';
import { McpFailure } from './mcp-failure.ts';
import { type CallResult, callResult, type ListedTool, listedTool, toolPage } from './mcp-schemas.ts';
import { toFailure } from './to-failure.ts';

/** The parts of a registered server that the pool needs. */
export interface McpServer {
  id: string;
  /** The user or workspace that registered it. */
  owner: string;
  url: string;
  /** Secret. */
  headers: Readonly<Record<string, string>>;
  /** Changes with the record, so that a change opens a new connection. */
  version: string;
}

export interface McpLimits {
  connectMs: number;
  /** Without progress. Each progress notification restarts it. */
  callMs: number;
  totalCallMs: number;
  /** How long the server may send nothing at all. */
  idleMs: number;
  /** Of the result of a call. */
  answerBytes: number;
  /** Of a page of tools. */
  listBytes: number;
  /** Time limit of a list with all its pages. */
  listMs: number;
  pages: number;
  tools: number;
}

export const DEFAULT_MCP_LIMITS: McpLimits = {
  connectMs: 15_000,
  callMs: 60_000,
  totalCallMs: 600_000,
  idleMs: 300_000,
  answerBytes: 16_000_000,
  listBytes: 1_000_000,
  listMs: 30_000,
  pages: 20,
  tools: 200,
};

const CLIENT = { name: 'chorus', version: '1' };

/** The SDK delivers a result shortly after the last byte, or never. */
const GRACE_MS = 500;
const CLOSE_MS = 2_000;

/** Skips compiling the schemas of servers, which could take arbitrarily long. */
const acceptAll: jsonSchemaValidator = {
  getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
};

interface RequestOptions {
  timeoutMs: number;
  totalMs: number;
  signal?: AbortSignal;
}

/** A connection to one MCP server over streamable HTTP. All errors are `McpFailure`s, or the signal's reason. */
export class McpConnection {
  readonly #client: Client;
  readonly #transport: StreamableHTTPClientTransport;
  readonly #limits: McpLimits;
  closed = false;
  #running = 0;
  #retired = false;

  private constructor(client: Client, transport: StreamableHTTPClientTransport, limits: McpLimits) {
    this.#client = client;
    this.#transport = transport;
    this.#limits = limits;
    client.onclose = () => {
      this.closed = true;
    };
    client.onerror = (error) => {
      // The SDK does not report it otherwise.
      if (error.message.startsWith('Maximum reconnection attempts'))
        exchanges.getStore()?.onGiveUp(new McpFailure('The connection to the MCP server broke.', { cause: error }));
    };
  }

  static async open(
    { url, headers }: McpServer,
    outbound: Pick<Outbound, 'request'>,
    limits: McpLimits,
    onToolsChanged: () => void,
  ): Promise<McpConnection> {
    const address = new URL(url);
    const fetch = guardedFetch({
      outbound,
      url: address,
      headers,
      maxAnswerBytes: limits.answerBytes,
      maxListBytes: limits.listBytes,
      idleMs: limits.idleMs,
    });
    const transport = new StreamableHTTPClientTransport(address, { fetch });
    const client = new Client(CLIENT, { capabilities: {}, jsonSchemaValidator: acceptAll });
    const connection = new McpConnection(client, transport, limits);
    client.setNotificationHandler(ToolListChangedNotificationSchema, onToolsChanged);
    try {
      const connecting = connection.#exchange((signal) =>
        client.connect(transport, { signal, timeout: limits.connectMs }),
      );
      await withTimeout(connecting, limits.connectMs, () => {
        throw new McpFailure('The MCP server did not answer in time.', { notRun: true });
      });
      return connection;
    } catch (error) {
      void connection.close();
      throw error;
    }
  }

  /** Returns the tools that are well-formed, up to a limit. */
  async listTools(): Promise<ListedTool[]> {
    const tools: ListedTool[] = [];
    const cursors = new Set<string>();
    const { connectMs, listMs } = this.#limits;
    const endsAt = performance.now() + listMs;
    let cursor: string | undefined;
    for (let page = 0; page < this.#limits.pages && tools.length < this.#limits.tools; page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const leftMs = Math.max(1, Math.min(connectMs, endsAt - performance.now()));
      const options = { timeoutMs: leftMs, totalMs: leftMs };
      const answer = await this.#request({ method: 'tools/list', params }, toolPage, options);
      for (const given of answer.tools.slice(0, this.#limits.tools - tools.length)) {
        const parsed = listedTool.safeParse(given);
        if (parsed.success) tools.push(parsed.data);
      }
      cursor = answer.nextCursor;
      if (cursor === undefined || cursors.has(cursor)) break;
      cursors.add(cursor);
    }
    return tools;
  }

  /**
   * Calls a tool. An aborted signal notifies the server that the call is canceled, and closes its stream.
   * @param key Lets a server that supports `_meta.idempotencyKey`, such as Chorus, join repeated calls.
   */
  async callTool(name: string, args: Record<string, unknown>, signal: AbortSignal, key?: string): Promise<CallResult> {
    const { callMs: timeoutMs, totalCallMs: totalMs } = this.#limits;
    const params = { name, arguments: args, ...(key !== undefined && { _meta: { idempotencyKey: key } }) };
    return this.#request({ method: 'tools/call', params }, callResult, { timeoutMs, totalMs, signal });
  }

  /** Closes the connection once it is no longer used. */
  async retire(): Promise<void> {
    this.#retired = true;
    if (this.#running === 0 && !this.closed) await this.close();
  }

  async close(): Promise<void> {
    this.closed = true;
    await valueWithin(this.#transport.terminateSession(), CLOSE_MS);
    await valueWithin(this.#client.close(), CLOSE_MS);
  }

  #request<Schema extends z.ZodType>(
    message: { method: string; params: Record<string, unknown> },
    schema: Schema,
    { timeoutMs, totalMs, signal }: RequestOptions,
  ): Promise<z.output<Schema>> {
    return this.#exchange(
      (within, onresumptiontoken) =>
        this.#client.request(message, schema, {
          signal: within,
          timeout: timeoutMs,
          maxTotalTimeout: totalMs,
          resetTimeoutOnProgress: true,
          onprogress: () => undefined,
          onresumptiontoken,
        }) as Promise<z.output<Schema>>,
      signal,
    );
  }

  /** Ends the work if the server has ended its response without a result, for which the SDK would wait. */
  async #exchange<T>(work: (signal: AbortSignal, onToken: () => void) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const lost = Promise.withResolvers<never>();
    lost.promise.catch(() => undefined);
    const given = new AbortController();
    let resumable = false;
    let forgive: () => void = () => undefined;
    const lose = (error: unknown) => {
      lost.reject(error);
      given.abort(error);
    };
    const exchange: Exchange = {
      requests: 0,
      // If the SDK continues, the response was delivered: connecting takes two requests.
      onRequest: () => forgive(),
      onEnd: (error) => {
        if (resumable) return;
        const failure = error ?? new McpFailure('The MCP server ended its answer without a result.');
        forgive = readBeforeGivingUp(GRACE_MS, () => lose(failure));
      },
      onGiveUp: lose,
    };
    const within = signal === undefined ? given.signal : AbortSignal.any([signal, given.signal]);
    this.#running += 1;
    const running = exchanges.run(exchange, () =>
      work(within, () => {
        resumable = true;
      }),
    );
    try {
      return await Promise.race([running, lost.promise]);
    } catch (error) {
      running.catch(() => undefined);
      signal?.throwIfAborted();
      throw toFailure(error);
    } finally {
      forgive();
      this.#running -= 1;
      if (this.#retired) void this.retire();
    }
  }
}
