import { type TimedText, TRANSCRIPT_LIMITS, timedText, type Usage, usage } from '@chorus/contract';
import type { Transcript } from '@chorus/providers';
import { sumUsage } from '@chorus/providers/usage';
import { z } from 'zod';

/** Checkpoint that the next attempt continues from. */
const saved = z.object({
  /** Bytes of audio transcribed so far. */
  bytes: z.int(),
  text: z.string(),
  language: z.string().nullable(),
  segments: z.array(timedText),
  words: z.array(timedText),
  usage,
});

const FREE: Usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: 0 };

/** Joins the transcripts of a file's parts. */
export class TranscriptSoFar {
  readonly #known: z.infer<typeof saved>;

  /** @param checkpoint of an earlier attempt, if any */
  constructor(checkpoint: unknown) {
    this.#known = saved.safeParse(checkpoint).data ?? {
      bytes: 0,
      text: '',
      language: null,
      segments: [],
      words: [],
      usage: FREE,
    };
  }

  get known(): Readonly<z.infer<typeof saved>> {
    return this.#known;
  }

  /** Returns the separator between the text so far and the next text. */
  separator(shown = this.#known.text): string {
    return shown === '' ? '' : ' ';
  }

  /**
   * Adds the transcript of the part up to `bytes`.
   * @param heard null: no speech
   * @param startMs where its sound starts
   */
  add(bytes: number, heard: Transcript | null, startMs: number): void {
    const known = this.#known;
    known.bytes = bytes;
    if (heard === null) return;
    known.usage = sumUsage(known.usage, heard.usage);
    if (heard.text === '') return;
    known.text += this.separator() + heard.text;
    known.language ??= heard.language;
    push(known.segments, heard.segments, startMs, TRANSCRIPT_LIMITS.segments);
    push(known.words, heard.words, startMs, TRANSCRIPT_LIMITS.words);
  }
}

function push(all: TimedText[], more: Transcript['segments'], startMs: number, most: number): void {
  for (const { text, startSecond, endSecond } of more.slice(0, most - all.length)) {
    const start_ms = Math.round(startMs + startSecond * 1_000);
    all.push({ text, start_ms, end_ms: Math.max(start_ms, Math.round(startMs + endSecond * 1_000)) });
  }
}
