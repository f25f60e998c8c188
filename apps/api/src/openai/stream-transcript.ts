import { follow } from '@chorus/executions';
import { z } from 'zod';
import { beginEventStream, drained, onDisconnect } from '../responses/event-stream.ts';
import { answerFailure, errorFrame } from '../responses/openai-style.ts';
import { transcriptOf, transcriptUsage, usageOf } from './present-transcript.ts';
import type { Stream } from './run-work.ts';

export const transcriptFrame = z.union([
  z.object({ type: z.literal('transcript.text.delta'), delta: z.string() }),
  z.object({ type: z.literal('transcript.text.done'), text: z.string(), usage: transcriptUsage }),
]);

const frameOf = (frame: z.infer<typeof transcriptFrame>) => `data: ${JSON.stringify(frame)}\n\n`;

/** Streams the text of a transcription. A failure before the first text is an error response. */
export const streamTranscript: Stream = async (context, record, reader) => {
  const { response, services, owner } = context;
  const { database, eventLog } = services;
  const connected = onDisconnect(context, () => reader.close());
  let quiet = () => {};
  const write = (text: string) => {
    if (!response.headersSent) quiet = beginEventStream(response);
    return response.write(text);
  };
  try {
    for (;;) {
      const step = await follow({ database, eventLog, owner, record, reader, events: true });
      if (step === null) return void response.destroy();
      let text = '';
      for (const { event } of step.running) {
        // OpenAI's clients cannot take text back.
        if (event.type === 'text.reset' && response.headersSent) return void response.destroy();
        if (event.type === 'text.reset') text = '';
        if (event.type === 'text.delta') text += frameOf({ type: 'transcript.text.delta', delta: event.delta });
      }
      if (text !== '' && !write(text)) await drained(response);
      if (!('ended' in step)) continue;
      const { ended } = step;
      if (ended.status !== 'succeeded')
        return void (response.headersSent ? response.end(errorFrame(ended)) : answerFailure(context, ended));
      const item = transcriptOf(ended);
      write(frameOf({ type: 'transcript.text.done', text: item.text, usage: usageOf(ended, item) }));
      return void response.end();
    }
  } finally {
    quiet();
    connected();
    reader.close();
  }
};
