import {
  type MessageVoice,
  type RequiredAction,
  type TranscriptItem,
  transcriptItem,
  type Usage,
  usage,
} from '@chorus/contract';
import { TurnStages } from '@chorus/conversations';
import { answerText, requiredActionOf } from '@chorus/executions';
import { sumUsage } from '@chorus/providers/usage';
import { findLanguageProblem, spokenNotice } from '@chorus/speech';
import { type Handler, type JobContext, persist } from '@chorus/worker-kit';
import { z } from 'zod';
import { AnswerVoice } from './answer-voice.ts';
import { runChatTurn } from './chat-turn.ts';
import { prepareModels } from './prepare-models.ts';
import { storeAudio, unsignedWarnings } from './store-audio.ts';
import { transcribeUpload } from './transcribe-upload.ts';
import { providerOf, type VoiceParts } from './voice-parts.ts';

/** Checkpoint that prevents paying twice for a transcript. */
const saved = z.object({ heard: transcriptItem, usage, warnings: z.array(z.string()).default([]) });

/**
 * Runs a voice turn: transcript, chat turn through the queue, and speech while the answer is written.
 * Output: the transcript (if any), the text, the audio, and other output of the chat turn.
 */
export const voiceTurn = (parts: VoiceParts): Handler<'voice.turn'> => ({
  async run(job) {
    const { input, owner, emit, note } = job;
    const { said, chat, speech } = input;
    const { states } = parts;
    const clock = new TurnStages();
    const asked = chat.settings.model;
    note({ model: asked, provider: providerOf(asked) });
    prepareModels(parts, job, [...(said.type === 'audio' ? [said] : []), speech]);
    states.set(chat.session_id, said.type === 'audio' ? 'listening' : 'thinking');
    const {
      heard,
      usage: hearing,
      warnings: doubts,
    } = await transcribe(parts, job).catch((error) => {
      states.set(chat.session_id, 'idle');
      throw error;
    });
    if (heard !== null) clock.reached('transcribed_ms');
    states.set(chat.session_id, 'thinking');
    let spent = hearing;
    note({ usage: spent });
    /** Of voices that were stopped. A checkpoint holds what was used for hearing. */
    let stopped = FREE;
    const textAt = heard === null ? 0 : 1;
    const soundAt = textAt + 1;
    if (heard !== null) emit({ type: 'output.item', index: 0, item: heard });

    const open = () =>
      new AnswerVoice(parts.providers, job, soundAt, () => {
        clock.reached('first_audio_ms');
        states.set(chat.session_id, 'speaking');
      });
    let voice = open();
    note({ unsaved: () => sumUsage(stopped, voice.usage) });
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
          stopped = sumUsage(stopped, voice.usage);
          emit({ type: 'text.reset', reason });
          voice = open();
        },
        item(index, item) {
          if (item.type === 'citation') emit({ type: 'output.item', index: soundAt + index, item });
        },
        slow: () => voice.say('moment', heard?.language ?? null),
        // It may wait for a day, and continues without a voice.
        waits: () => true,
      });
      const waiting = requiredActionOf(answer);
      const answered = answerText(answer);
      let text = answered;
      if (waiting !== null) {
        const notice = spokenNotice('approval', heard?.language ?? null);
        const delta = `${answered === '' ? '' : '\n\n'}${notice}`;
        emit({ type: 'text.delta', index: textAt, delta });
        voice.say('approval', heard?.language ?? null);
        text += delta;
      }
      const model = answer.model ?? asked;
      note({ model, provider: providerOf(model) });
      clock.reached('text_ms');
      const { file, durationMs, warnings } = await voice.end();
      clock.reached('audio_ms');
      const usage = sumUsage(spent, voice.usage);
      note({ usage });
      const unspoken = findLanguageProblem(parts.providers, speech.model, text);
      const spoken: MessageVoice = {
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
        storeAudio(parts, job, {
          model: speech.model,
          format: speech.format,
          file,
          durationMs,
          said: text,
          index: soundAt,
        }),
        persist(() => parts.database.messages.setVoice(owner, chat.assistant_message_id, spoken)),
      ]);
      const sound = { type: 'asset' as const, asset };
      emit({ type: 'output.item', index: soundAt, item: sound });
      const others = answer.output.filter((item) => item.type === 'citation');
      return {
        output: [...(heard === null ? [] : [heard]), { type: 'text', text }, sound, ...others],
        usage,
        model,
        provider: providerOf(model),
        finish_reason: answer.finish_reason ?? 'stop',
        ...(answer.context !== null && { context: answer.context }),
        warnings: [
          ...doubts,
          ...answer.warnings,
          ...warnings,
          ...unsignedWarnings(parts, speech.format),
          ...(unspoken === null ? [] : [unspoken.message]),
          ...(waiting === null ? [] : [waitingText(answer.id, waiting)]),
        ],
      };
    } finally {
      states.set(chat.session_id, 'idle');
      await voice.stop();
      note({ usage: sumUsage(spent, voice.usage) });
    }
  },
});

function waitingText(executionId: string, { tool_calls }: RequiredAction): string {
  const names = [...new Set(tool_calls.map(({ name }) => name))].join(', ');
  return `The answer waits for a decision about ${names}: see /api/v1/jobs/${executionId}. It then goes on as text.`;
}

const FREE: Usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: 0 };

/** Returns the transcript and its usage; null for text input. */
async function transcribe(
  parts: VoiceParts,
  job: JobContext<'voice.turn'>,
): Promise<{ heard: TranscriptItem | null; usage: Usage; warnings: string[] }> {
  const { input, checkpoint } = job;
  if (input.said.type === 'text') return { heard: null, usage: FREE, warnings: [] };
  const before = saved.safeParse(checkpoint.value).data;
  if (before !== undefined) return before;
  if (input.said.heard !== undefined) return { heard: input.said.heard, usage: FREE, warnings: [] };
  const heard = await transcribeUpload(parts, job, input.said);
  job.note({ usage: heard.usage });
  await checkpoint.save(heard satisfies z.infer<typeof saved>);
  return heard;
}
