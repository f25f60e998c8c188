import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type {
  AppControllerRoute,
  AppViewRoute,
  BullBoardQueues,
  ControllerHandlerReturnType,
  IServerAdapter,
  UIConfig,
} from '@bull-board/api/typings/app';
import { jobData, KINDS, type Pool } from '@chorus/contract';
import type { Dispatcher } from '@chorus/queue';
import express, { type Request, Router } from 'express';

const UI = dirname(fileURLToPath(import.meta.resolve('@bull-board/ui/package.json')));

/** Pools that jobs use. */
const pools: readonly Pool[] = [...new Set(Object.values(KINDS).map(({ pool }) => pool))];

/**
 * Creates a read-only Bull Board over all queues.
 * @param base its address, with a trailing slash
 */
export async function createBoard(dispatcher: Pick<Dispatcher, 'queuesOf' | 'queueOf'>, base: string): Promise<Router> {
  const server = new ReadOnlyServer(base);
  const names = (await Promise.all(pools.map(dispatcher.queuesOf))).flat();
  const queues = names.map((name) => {
    const adapter = new BullMQAdapter(dispatcher.queueOf(name), { readOnlyMode: true });
    adapter.setFormatter('data', redactContent);
    return adapter;
  });
  createBullBoard({
    queues,
    serverAdapter: server,
    options: {
      uiBasePath: UI,
      uiConfig: {
        boardTitle: 'Chorus queues',
        hideDocsLink: true,
        favIcon: { default: 'static/images/logo.svg', alternative: 'static/favicon-32x32.png' },
      },
    },
  });
  return server.router;
}

/** Keeps the fields an operator needs to find a job's execution and logs. Users' content is removed. */
function redactContent(data: unknown): unknown {
  const parsed = jobData.safeParse(data);
  if (!parsed.success) return { malformed: true };
  const { input, ...rest } = parsed.data;
  return { ...rest, input: Object.keys(input).map((name) => `${name}: not shown`) };
}

/** Adapts Bull Board to Express, with its read-only routes only. */
class ReadOnlyServer implements IServerAdapter {
  readonly router = Router();
  readonly #base: string;
  #queues: BullBoardQueues = new Map();
  #uiConfig: UIConfig = {};
  #views = '';
  #describe: (error: Error) => ControllerHandlerReturnType = (error) => {
    throw error;
  };

  constructor(base: string) {
    this.#base = base;
  }

  setQueues(queues: BullBoardQueues): this {
    this.#queues = queues;
    return this;
  }

  setViewsPath(path: string): this {
    this.#views = path;
    return this;
  }

  setStaticPath(path: string, folder: string): this {
    this.router.use(path, express.static(folder, { index: false, cacheControl: false }));
    return this;
  }

  setUIConfig(config: UIConfig): this {
    this.#uiConfig = config;
    return this;
  }

  setErrorHandler(handler: (error: Error) => ControllerHandlerReturnType): this {
    this.#describe = handler;
    return this;
  }

  setEntryRoute({ route, handler }: AppViewRoute): this {
    const { name, params } = handler({ basePath: this.#base, uiConfig: this.#uiConfig });
    const page = fillPage(readFileSync(join(this.#views, name), 'utf8'), params);
    this.router.get(route, (_request, response) => void response.type('html').end(page));
    return this;
  }

  setApiRoutes(routes: AppControllerRoute[]): this {
    for (const { method, route, handler } of routes) {
      if (method !== 'get') continue;
      this.router.get(route, async (request, response) => {
        const { status = 200, body } = await this.#answer(handler, request);
        response.status(status).json(body);
      });
    }
    return this;
  }

  async #answer(handler: AppControllerRoute['handler'], request: Request): Promise<ControllerHandlerReturnType> {
    const { query, params } = request;
    try {
      return await handler({ queues: this.#queues, uiConfig: this.#uiConfig, query, params, body: {}, headers: {} });
    } catch (error) {
      // Bull Board's page needs its own error format.
      return this.#describe(error as Error);
    }
  }
}

/** Fills in Bull Board's page, and removes what the policy forbids: external fonts and inline styles. */
function fillPage(template: string, params: Readonly<Record<string, string>>): string {
  return template
    .replace(/<link href="https:[^>]*>/g, '')
    .replace(/<style>.*?<\/style>/gs, '')
    .replace(/ style="[^"]*"/g, '')
    .replace(/<%([=-]) (\w+) %>/g, (_, kind: string, name: string) =>
      kind === '=' ? escapeHtml(params[name] ?? '') : (params[name] ?? ''),
    );
}

const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
