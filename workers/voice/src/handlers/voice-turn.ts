import {
  type MessageVoice,
  type OutputItem,
  type TranscriptItem,
  transcriptItem,
  type Usage,
  usage,
} from '@chorus/contract';
import { answerText, TurnStages } from '@chorus/conversations';
import { sumUsage } from '@chorus/executions';
import { type Handler, type JobContext, type JobResult, persist } from '@chorus/worker-kit';
import { z } from 'zod';
import { AnswerVoice } from './answer-voice.ts';
import { runChatTurn } from './chat-turn.ts';
import { hearSaid } from './hear-said.ts';
import { keepSound } from './keep-sound.ts';
import type { VoiceParts } from './voice-parts.ts';

/** What an attempt leaves for the next one: it is not heard, and paid, twice. */
const saved = z.object({ heard: transcriptItem, usage });

/**
 * A turn that is heard, answered and spoken: transcript, the chat turn of its session through the queue, then speech, clause by clause while the answer is
 * written. The places of the output: what was heard (if anything was), the text, the sound, and whatever else the chat turn gives.
 */
export const voiceTurn = (parts: VoiceParts): Handler<'voice.turn'> => ({
  async run(job): Promise<JobResult> {
    const { input, owner, emit, note } = job;
    const { said, chat, speech } = input;
    const { states } = parts;
    const clock = new TurnStages();
    const asked = chat.settings.model;
    note({ model: asked, provider: providerOf(asked) });
    states.tell(chat.session_id, said.type === 'audio' ? 'listening' : 'thinking');
    const { heard, usage: hearing } = await heardBy(parts, job).catch((error) => {
      states.tell(chat.session_id, 'idle');
      throw error;
    });
    if (heard !== null) clock.reached('transcribed_ms');
    states.tell(chat.session_id, 'thinking');
    let spent = hearing;
    note({ usage: spent });
    const textAt = heard === null ? 0 : 1;
    const soundAt = textAt + 1;
    if (heard !== null) emit({ type: 'output.item', index: 0, item: heard });

    const open = () =>
      new AnswerVoice(parts.providers, job, soundAt, () => {
        clock.reached('first_audio_ms');
        states.tell(chat.session_id, 'speaking');
      });
    let voice = open();
    try {
      const message = said.type === 'text' ? said.text : (heard?.text ?? '');
      const answer = await runChatTurn(parts, job, message, {
        text(delta) {
          clock.reached('first_text_ms');
          emit({ type: 'text.delta', index: textAt, delta });
          voice.take(delta);
        },
        async reset(reason) {
          await voice.stop();
          spent = sumUsage(spent, voice.usage);
          emit({ type: 'text.reset', reason });
          voice = open();
        },
        item(index, item) {
          if (index > 0) emit({ type: 'output.item', index: soundAt + index, item });
        },
      });
      const model = answer.model ?? asked;
      note({ model, provider: providerOf(model) });
      clock.reached('text_ms');
      const { file, durationMs, warnings } = await voice.end();
      clock.reached('audio_ms');
      const usage = sumUsage(spent, voice.usage);
      note({ usage });
      const text = answerText(answer);
      const told: MessageVoice = {
        transcription_model: heard?.model ?? null,
        language: heard?.language ?? null,
        speech_model: speech.model,
        voice: speech.voice,
        spoken_ms: durationMs,
        heard_ms: null,
        interrupted: false,
        cost_usd: usage.cost_usd,
        stages: clock.times,
      };
      const [asset] = await Promise.all([
        keepSound(parts, job, { file, durationMs, said: text, index: soundAt }),
        persist(() => parts.database.messages.setVoice(owner, chat.assistant_message_id, told)),
      ]);
      const sound: OutputItem = { type: 'asset', asset };
      emit({ type: 'output.item', index: soundAt, item: sound });
      const others = answer.output.filter(({ type }) => type !== 'text');
      return {
        output: [...(heard === null ? [] : [heard]), { type: 'text', text }, sound, ...others],
        usage,
        model,
        provider: providerOf(model),
        finish_reason: answer.finish_reason,
        ...(answer.context !== null && { context: answer.context }),
        warnings: [...answer.warnings, ...warnings],
      };
    } finally {
      states.tell(chat.session_id, 'idle');
      await voice.stop();
    }
  },
});

const FREE: Usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: 0 };

/** What was heard, and what that cost. Null: it came in writing. */
async function heardBy(
  parts: VoiceParts,
  job: JobContext<'voice.turn'>,
): Promise<{ heard: TranscriptItem | null; usage: Usage }> {
  const { input, checkpoint } = job;
  if (input.said.type === 'text') return { heard: null, usage: FREE };
  const before = saved.safeParse(checkpoint.value).data;
  if (before !== undefined) return before;
  if (input.said.heard !== undefined) return { heard: input.said.heard, usage: FREE };
  const heard = await hearSaid(parts, job, input.said);
  await checkpoint.save(heard satisfies z.infer<typeof saved>);
  return heard;
}

const providerOf = (model: string) => model.split('/', 1)[0] as string;
