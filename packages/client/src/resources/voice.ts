import type { CallOptions } from '../client-options.ts';
import { executingCall } from '../executing.ts';
import type { BodyOf } from '../operations.ts';
import type { Transport } from '../transport.ts';
import { connectVoice, type VoiceConnectOptions } from '../voice-connection.ts';

export function createVoice(transport: Transport) {
  return {
    /**
     * Runs a spoken turn: takes sound (`file`, `asset_id`) or `text`, and returns transcript, text,
     * and speech as an asset.
     */
    chat: executingCall(transport, 'POST /voice/chat'),
    /** Speaks a text, and returns the audio as an asset. */
    speak: executingCall(transport, 'POST /speech'),
    /** Transcribes audio or video (`file`, `asset_id`), with the times of segments and words. */
    transcribe: executingCall(transport, 'POST /transcription'),
    /**
     * Returns the voices and models; with `session_id` or `execution_id` also how an answer was
     * spoken.
     */
    meta: (body: BodyOf<'POST /voice/chat/meta'> = {}, options?: CallOptions) =>
      transport.request('POST /voice/chat/meta', { body }, options),
    /** Stops the speech of a session, from anywhere, and returns the part that was heard. */
    interrupt: (sessionId: string, options?: CallOptions) =>
      transport.request('POST /voice/interrupt/{session_id}', { path: { session_id: sessionId } }, options),
    /** Creates a ticket that opens the voice socket once, within a minute. */
    ticket: (options?: CallOptions) => transport.request('POST /voice/tickets', {}, options),
    /** Opens the voice socket, which streams audio in both directions. */
    connect: (options: VoiceConnectOptions) => connectVoice(transport, options),
  };
}
