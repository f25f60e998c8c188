import { ChorusError, type ErrorCode, type Usage } from '@chorus/contract';
import type { Providers } from '@chorus/providers';

type EmbedTexts = Providers['embedTexts'];
type Call = Parameters<EmbedTexts>[0];
type Options = Parameters<EmbedTexts>[1];
type Embedded = Awaited<ReturnType<EmbedTexts>>;

interface Line {
  waiting: Waiting[];
  running: number;
}

interface Waiting {
  call: Call;
  options: Options;
  hasLeft: boolean;
  done: PromiseWithResolvers<Embedded>;
}

interface Limits {
  /** Texts per call. */
  texts: number;
  calls: number;
}

/** The encoder computes this many texts at once, and a second call is ready when the first ends. */
const EMBEDDED: Limits = { texts: 8, calls: 2 };
/** With providers, latency matters more than computing. */
const REMOTE: Limits = { texts: 64, calls: 4 };

/** Errors that one of the texts may cause. */
const OF_ONE_TEXT: ReadonlySet<ErrorCode> = new Set([
  'invalid_request',
  'content_refused',
  'context_too_long',
  'payload_too_large',
]);

/**
 * Joins small calls of one user, such as those of short documents that are ingested together: calls that arrive while
 * others run share the next one.
 */
export function gatherEmbeddings(embedTexts: EmbedTexts): EmbedTexts {
  const lines = new Map<string, Line>();

  const runNext = (key: string, line: Line, limits: Limits) => {
    while (line.running < limits.calls && line.waiting.length > 0) {
      const group = takeGroup(line, limits.texts);
      if (group.length === 0) continue;
      line.running += 1;
      void embedGroup(embedTexts, group).then(() => {
        line.running -= 1;
        runNext(key, line, limits);
      });
    }
    if (line.running === 0 && line.waiting.length === 0) lines.delete(key);
  };

  return (call, options) => {
    const limits = call.model.startsWith('embedded/') ? EMBEDDED : REMOTE;
    // A call with a budget reserves money for itself alone.
    const isAlone = options.spending !== undefined && limits === REMOTE;
    if (isAlone || call.texts.length >= limits.texts) return embedTexts(call, options);
    const key = JSON.stringify([call.model, call.purpose, call.dimensions, options.user]);
    const line = lines.get(key) ?? { waiting: [], running: 0 };
    lines.set(key, line);
    const done = Promise.withResolvers<Embedded>();
    const waiting: Waiting = { call, options, hasLeft: false, done };
    const leave = () => {
      waiting.hasLeft = true;
      done.reject(options.signal.reason);
    };
    if (options.signal.aborted) leave();
    options.signal.addEventListener('abort', leave, { once: true });
    line.waiting.push(waiting);
    runNext(key, line, limits);
    return done.promise.finally(() => options.signal.removeEventListener('abort', leave));
  };
}

function takeGroup(line: Line, texts: number): Waiting[] {
  const group: Waiting[] = [];
  let count = 0;
  line.waiting = line.waiting.filter((one) => {
    if (one.hasLeft) return false;
    if (group.length > 0 && count + one.call.texts.length > texts) return true;
    count += one.call.texts.length;
    group.push(one);
    return false;
  });
  return group;
}

/** Embeds the texts of several calls and gives each its part. Never rejects. */
async function embedGroup(embedTexts: EmbedTexts, group: readonly Waiting[]): Promise<void> {
  const [first] = group;
  if (first === undefined) return;
  if (group.length === 1) return embedTexts(first.call, first.options).then(first.done.resolve, first.done.reject);
  const abandoned = new AbortController();
  const leave = () => {
    if (group.every(({ hasLeft }) => hasLeft)) abandoned.abort(first.options.signal.reason);
  };
  for (const { options } of group) options.signal.addEventListener('abort', leave, { once: true });
  try {
    const texts = group.flatMap(({ call }) => call.texts);
    const made = await embedTexts({ ...first.call, texts }, { ...first.options, signal: abandoned.signal });
    const parts = sharesOf(
      made.usage,
      group.map(({ call }) => call.texts.reduce((sum, { length }) => sum + length + 1, 0)),
    );
    let at = 0;
    for (const [index, { call, done }] of group.entries()) {
      const vectors = made.vectors.slice(at, at + call.texts.length);
      at += call.texts.length;
      done.resolve({ ...made, vectors, usage: parts[index] as Usage });
    }
  } catch (error) {
    if (error instanceof ChorusError && OF_ONE_TEXT.has(error.code))
      for (const one of group) await embedGroup(embedTexts, [one]);
    else for (const { done } of group) done.reject(error);
  } finally {
    for (const { options } of group) options.signal.removeEventListener('abort', leave);
  }
}

/** Divides the usage of a call by the lengths of its parts. */
export function sharesOf({ input_tokens, output_tokens, cost_usd }: Usage, lengths: readonly number[]): Usage[] {
  const total = lengths.reduce((sum, length) => sum + length, 0);
  let before = 0;
  return lengths.map((length) => {
    const [from, to] = [before / total, (before + length) / total];
    before += length;
    const share = (count: number) => Math.round(count * to) - Math.round(count * from);
    const [input, output] = [share(input_tokens), share(output_tokens)];
    return {
      input_tokens: input,
      output_tokens: output,
      total_tokens: input + output,
      cost_usd: cost_usd === null ? null : cost_usd * (to - from),
    };
  });
}
