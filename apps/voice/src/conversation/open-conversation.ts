import type { RealtimeClientEvent } from '@chorus/contract';
import type { Caller, SessionRequest } from '../caller.ts';
import type { Link } from '../link.ts';
import type { VoiceServices } from '../voice-services.ts';
import { type EndReason, VoiceConversation } from './voice-conversation.ts';
import type { OpenVoiceEngine } from './voice-engine.ts';

export type { EndReason } from './voice-conversation.ts';

export interface Conversation {
  /** Handles client events in order. Never throws. */
  take(event: RealtimeClientEvent): void;
  end(reason: EndReason): Promise<void>;
}

/** Opens the conversation of an admitted socket and sends `session.created`. */
export function openConversation(
  services: VoiceServices,
  engine: OpenVoiceEngine,
  caller: Caller,
  asked: SessionRequest,
  link: Link,
): Conversation {
  return new VoiceConversation(services, engine, caller, asked, link);
}
