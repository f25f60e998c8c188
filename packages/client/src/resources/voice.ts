import type { CallOptions } from '../client-options.ts';
import { executing } from '../executing.ts';
import type { BodyOf } from '../operations.ts';
import type { Transport } from '../transport.ts';
import { connectVoice, type VoiceConnectOptions } from '../voice-connection.ts';

export function createVoice(transport: Transport) {
  return {
    /** A turn that is heard (`file`, `asset_id`) or read (`text`), answered, and spoken: transcript, text, and the sound as an asset. */
    chat: executing(transport, 'POST /voice/chat'),
    /** What can be spoken; with `session_id` or `execution_id` also what was. */
    meta: (body: BodyOf<'POST /voice/chat/meta'> = {}, options?: CallOptions) =>
      transport.request('POST /voice/chat/meta', { body }, options),
    /** Stops what is spoken in a session, from anywhere, and says what was heard of it; where nothing is, it says so. */
    interrupt: (sessionId: string, options?: CallOptions) =>
      transport.request('POST /voice/interrupt/{session_id}', { path: { session_id: sessionId } }, options),
    /** Lets a socket in once, within a minute. */
    ticket: (options?: CallOptions) => transport.request('POST /voice/tickets', {}, options),
    /** Opens the voice socket: sound goes and comes as it is spoken. */
    connect: (options: VoiceConnectOptions) => connectVoice(transport, options),
  };
}
