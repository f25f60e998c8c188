import { type AnswerOf, ChorusError } from '@chorus/client';
import { type ClientContext, type Command, UsageError } from '../command.ts';
import { Output } from '../output.ts';
import { connect, platformUrl } from './connect.ts';
import { COMMON_HELP, COMMON_OPTIONS, settingsFor, textOption } from './define-command.ts';
import { describeError, EXIT } from './exit-codes.ts';

const REQUEST_MS = 10_000;

interface Finding {
  check: string;
  ok: boolean;
  message: string;
}

export const doctor: Command<ClientContext> = {
  usage: '',
  summary: 'Checks the address, your login, and the platform, and suggests fixes.',
  details: COMMON_HELP,
  options: COMMON_OPTIONS,
  async run(args, { client }, options) {
    if (args.length > 0) throw new UsageError('This command takes no arguments.');
    const output = new Output(options.json === true);
    const settings = settingsFor(client, options);
    const url = await platformUrl(settings, textOption(options, 'url'));
    let isWell = true;
    for await (const finding of examine()) {
      output.record(finding);
      output.line(`${finding.ok ? '✓' : '✗'} ${finding.message}`);
      isWell &&= finding.ok;
    }
    return isWell ? EXIT.done : EXIT.failed;

    /** Each check needs the previous one. */
    async function* examine(): AsyncGenerator<Finding> {
      const reached = await reach(url);
      yield reached;
      if (!reached.ok) return;
      const workspace = textOption(options, 'workspace');
      try {
        const chorus = await connect(settings, { url, workspace });
        const { email, scope } = await chorus.me.get();
        yield { check: 'login', ok: true, message: `Logged in as ${email}, ${scope.role} of the ${scope.type} scope.` };
        yield* judge(await chorus.request('GET /chat/health'));
        const { data } = await chorus.models.list();
        const chat = data.filter(({ capabilities }) => capabilities.includes('chat'));
        const real = chat.filter(({ owned_by }) => owned_by !== 'embedded');
        yield real.length > 0
          ? { check: 'models', ok: true, message: `${chat.length} chat models, such as ${real[0]?.id}.` }
          : {
              check: 'models',
              ok: false,
              message:
                'No provider is set up, so only the built-in assistant answers. Set OPENAI_API_KEY or another key.',
            };
      } catch (error) {
        if (!(error instanceof ChorusError)) throw error;
        yield { check: 'login', ok: false, message: describeError(error) };
      }
    }
  },
};

async function reach(url: string): Promise<Finding> {
  const advice = 'Check the address (--url, CHORUS_URL), or start the platform with npm start.';
  try {
    const { status } = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(REQUEST_MS) });
    if (status === 200) return { check: 'address', ok: true, message: `${url} is ready.` };
    const message = status === 503 ? `${url} is not ready to run chats.` : `${url} is not a Chorus server.`;
    return { check: 'address', ok: false, message: `${message} ${status === 503 ? '' : advice}`.trim() };
  } catch (error) {
    const { cause, message } = error as Error;
    const reason = cause instanceof Error && cause.message !== '' ? cause.message : message;
    return { check: 'address', ok: false, message: `Cannot reach ${url} (${reason}). ${advice}` };
  }
}

function* judge({ store, redis, pools, missing: components }: AnswerOf<'GET /chat/health'>): Generator<Finding> {
  for (const [check, { status }] of Object.entries({ store, redis }))
    if (status === 'failing') yield { check, ok: false, message: `The ${check} does not respond, or takes no writes.` };
  for (const { name, message, optional } of components) yield { check: name, ok: optional, message };
  const missing = pools.filter(({ status }) => status === 'missing').map(({ name }) => name);
  yield missing.length === 0
    ? { check: 'workers', ok: true, message: `All ${pools.length} pools have workers.` }
    : {
        check: 'workers',
        ok: false,
        message: `No worker is running for ${missing.join(', ')}. Start one, or check its log.`,
      };
}
