import type { LogEvent } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { z } from 'zod';
import type { Stream } from '../protocols/run-work.ts';
import { type Frames, streamAnswer } from '../protocols/stream-answer.ts';
import { errorFrame } from '../responses/openai-style.ts';
import { transcriptOf, transcriptUsage, usageOf } from './present-transcript.ts';

export const transcriptFrame = z.union([
  z.object({ type: z.literal('transcript.text.delta'), delta: z.string() }),
  z.object({ type: z.literal('transcript.text.done'), text: z.string(), usage: transcriptUsage }),
]);

const frameOf = (frame: z.infer<typeof transcriptFrame>) => `data: ${JSON.stringify(frame)}\n\n`;

const FRAMES: Frames = {
  running: (event: LogEvent) =>
    event.type === 'text.delta' ? frameOf({ type: 'transcript.text.delta', delta: event.delta }) : '',
  terminal(record: ExecutionRecord) {
    if (record.status !== 'succeeded') return errorFrame(record);
    const item = transcriptOf(record);
    return frameOf({ type: 'transcript.text.done', text: item.text, usage: usageOf(record, item) });
  },
};

/** Streams the text of a transcription. */
export const streamTranscript: Stream = (context, record, reader) => streamAnswer(context, record, reader, FRAMES);
