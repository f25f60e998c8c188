import {
  DEFAULT_REALTIME_SETTINGS,
  presentRealtimeSession,
  type RealtimeClientEvent,
  type RealtimeSettings,
} from '@chorus/contract';
import type { Asked, Caller } from '../caller.ts';
import type { Link } from '../link.ts';
import type { VoiceServices } from '../voice-services.ts';

/** Why a conversation ends. `kicked`: the client broke a rule of the socket. */
export type EndReason = 'client_gone' | 'shutdown' | 'revoked' | 'kicked';

/** What is said on one socket. */
export interface Conversation {
  /** Takes an event of the client, in the order in which they came. Never throws. */
  take(event: RealtimeClientEvent): void;
  /** Ends all that is under way for it; called once. */
  end(reason: EndReason): Promise<void>;
}

/** Opens the conversation of a socket that was let in, and tells `session.created`. */
export function openConversation(_services: VoiceServices, caller: Caller, asked: Asked, link: Link): Conversation {
  let settings: RealtimeSettings = { ...DEFAULT_REALTIME_SETTINGS, voice: asked.voice };
  const show = (ignored: string[]) =>
    presentRealtimeSession(settings, {
      id: `sess_${caller.requestId}`,
      session_id: asked.sessionId,
      model: asked.model ?? '',
      voice: settings.voice ?? '',
      ignored,
    });
  link.send({ type: 'session.created', session: show([]) });
  return {
    take: (event) => {
      if (event.type === 'session.update') {
        settings = { ...settings, ...event.session.settings };
        link.send({ type: 'session.updated', session: show(event.session.ignored) });
        return;
      }
      const message = `Nothing is heard or said on this socket yet: ${event.type}.`;
      const { event_id = null } = event;
      link.send({
        type: 'error',
        error: { type: 'server_error', code: 'not_supported', message, param: null, event_id },
      });
    },
    end: async () => undefined,
  };
}
