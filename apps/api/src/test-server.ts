import {
  type AnswerDelta,
  ChorusError,
  type JobKind,
  type JobOutput,
  messageText,
  toChatMessages,
} from '@chorus/contract';
import { NO_USAGE } from '@chorus/providers/usage';
import { createLogger } from '@chorus/runtime/log';
import { type JobContext, startPool } from '@chorus/worker-kit';
import { startTestApi, type TestApi } from './test-api.ts';
import { publishModels } from './test-chat.ts';

/** A server whose chat turns follow instructions in their message. */
export interface TestServer extends TestApi {
  /** Releases held turns. */
  release(): void;
  /** Number of turns that have started. */
  readonly turns: number;
}

/**
 * Starts the API together with a worker for its chat turns. The message `count 20` is answered with the numbers
 * from 1 to 20, one per delta. `restart 20` resets its text half way, `hold` waits after its first word,
 * `fail` fails. `emit [...]` emits these events. With tools, the first answer calls one.
 */
export async function startTestServer(env: Record<string, string> = {}): Promise<TestServer> {
  const api = await startTestApi(env);
  const model = 'test/counter';
  await publishModels(api, 'text', { [model]: ['chat', 'vision'] });
  let turns = 0;
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });

  const answer = async (asked: string, { emit, signal }: Pick<JobContext<JobKind>, 'emit' | 'signal'>) => {
    turns++;
    const [, command, number] = /^(count|restart|hold|fail) ?(\d*)$/.exec(asked) ?? [];
    if (command === 'fail') throw new ChorusError('content_refused', 'It fails.');
    let text = '';
    const say = async (delta: string) => {
      text += delta;
      await emit({ type: 'text.delta', index: 0, delta });
    };
    const end = Number(number || 3);
    for (let count = 1; count <= end; count++) {
      await say(`${count} `);
      // Yield to the event loop, so that deltas stay separate.
      await new Promise((resolve) => setTimeout(resolve, 6));
      if (command === 'hold' && count === 1) await Promise.race([held, aborted(signal)]);
      if (command === 'restart' && count === Math.floor(end / 2)) {
        await emit({ type: 'text.reset', reason: 'provider_failed' });
        text = '';
      }
    }
    return {
      output: [{ type: 'text' as const, text }],
      usage: NO_USAGE,
      model,
      provider: 'test',
      finish_reason: 'stop',
    };
  };

  const { database, eventLog } = api.services;
  const pool = await startPool({
    pool: 'text',
    handlers: {
      'chat.completion': {
        run: async (context) => {
          const { source } = context.input;
          const asked =
            source.type === 'messages'
              ? String(source.messages.at(-1)?.content)
              : (source.opening ?? (await database.messages.get(context.owner, source.user_message_id))?.content ?? '');
          const { tools } = context.input.settings;
          const isFirst = source.type === 'session' && source.tool_message_ids === undefined;
          if (tools?.length && isFirst && !asked.startsWith('emit ')) return emitAll([CALL], context);
          return asked.startsWith('emit ') ? emitAll(JSON.parse(asked.slice(5)), context) : answer(asked, context);
        },
      },
      response: {
        mayReset: ({ options }) => options.background === true,
        run: async (context) => {
          const messages = toChatMessages(context.input.items);
          const last = messages.findLast(({ role }) => role === 'user');
          const asked = last ? messageText(last) : '';
          return asked.startsWith('emit ') ? emitAll(JSON.parse(asked.slice(5)), context) : answer(asked, context);
        },
      },
      'knowledge.ask': {
        run: async (context) => {
          const { question } = context.input;
          return question.startsWith('emit ')
            ? { ...(await emitAll(JSON.parse(question.slice(5)), context)), output: [] }
            : answer(question, context);
        },
      },
      'knowledge.search': {
        run: async (context) => ({ ...(await answer(context.input.query, context)), output: [] }),
      },
    },
    redis: { url: api.redis.url, cluster: false },
    store: database,
    eventLog,
    concurrency: 20,
    log: createLogger({ name: 'test', level: 'silent' }),
    health: () => ({ models: [], providers: [], default_model: null }),
  });

  return {
    ...api,
    release: () => letGo(),
    get turns() {
      return turns;
    },
    stop: async () => {
      letGo();
      await pool.close(0);
      await api.stop();
    },
  };
}

const CALL: AnswerDelta = {
  type: 'tool_call.delta',
  index: 0,
  call: 0,
  id: 'call_0',
  name: 'weather',
  first: true,
  arguments_delta: '{"city":"Oslo"}',
};

async function emitAll(
  events: AnswerDelta[],
  { emit, output }: Pick<JobContext<'chat.completion' | 'knowledge.ask'>, 'emit' | 'output'>,
) {
  for (const event of events) {
    await emit(event);
    // Keeps events of one item separate.
    await new Promise((resolve) => setTimeout(resolve, 6));
  }
  const called = output().some(({ type }) => type === 'tool_call');
  const answered = {
    output: output() as JobOutput<'response'>[],
    usage: NO_USAGE,
    model: 'test/counter',
    provider: 'test',
  };
  return { ...answered, finish_reason: called ? 'tool_calls' : 'stop' };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}
