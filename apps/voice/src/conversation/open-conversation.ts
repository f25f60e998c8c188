import type { RealtimeClientEvent } from '@chorus/contract';
import type { Asked, Caller } from '../caller.ts';
import type { Link } from '../link.ts';
import type { VoiceServices } from '../voice-services.ts';
import { type EndReason, VoiceConversation } from './voice-conversation.ts';
import type { OpenVoiceEngine } from './voice-engine.ts';

export type { EndReason } from './voice-conversation.ts';

/** What is said on one socket. */
export interface Conversation {
  /** Takes an event of the client, in the order in which they came. Never throws. */
  take(event: RealtimeClientEvent): void;
  /** Ends all that is under way for it; called once. */
  end(reason: EndReason): Promise<void>;
}

/** Opens the conversation of a socket that was let in, and tells `session.created`. */
export function openConversation(
  services: VoiceServices,
  engine: OpenVoiceEngine,
  caller: Caller,
  asked: Asked,
  link: Link,
): Conversation {
  return new VoiceConversation(services, engine, caller, asked, link);
}
