import { z } from 'zod';
import { parseBounded } from '../bounded.ts';
import { describeIssues } from '../describe-issues.ts';
import { metadata } from '../metadata.ts';
import { realtimeItemId, realtimeNewItem, soundBytes } from './items.ts';
import { realtimeSession, responseChange, responseShape } from './settings.ts';

const event_id = z.string().max(512).nullish();

const responseFields = {
  ...responseShape,
  conversation: z.string().max(100).optional(),
  metadata: metadata.nullish(),
  input: z
    .array(z.union([realtimeNewItem, z.object({ type: z.literal('item_reference'), id: realtimeItemId })]))
    .max(100)
    .optional(),
};

/** The settings of one response. */
const response = z.looseObject(responseFields).transform((asked) => ({
  ...responseChange(asked, responseFields),
  /** Whether the response is made from `input` alone and not added to the conversation. */
  apart: asked.conversation === 'none',
  /** Replaces the conversation. Null: the conversation is used. */
  input: asked.input ?? null,
  metadata: asked.metadata ?? null,
}));

/** All client events by type. */
export const REALTIME_CLIENT_EVENTS = {
  'session.update': z.object({ type: z.literal('session.update'), event_id, session: realtimeSession }),
  'input_audio_buffer.append': z.object({
    type: z.literal('input_audio_buffer.append'),
    event_id,
    audio: soundBytes,
  }),
  'input_audio_buffer.commit': z.object({ type: z.literal('input_audio_buffer.commit'), event_id }),
  'input_audio_buffer.clear': z.object({ type: z.literal('input_audio_buffer.clear'), event_id }),
  'output_audio_buffer.clear': z.object({ type: z.literal('output_audio_buffer.clear'), event_id }),
  'conversation.item.create': z.object({
    type: z.literal('conversation.item.create'),
    event_id,
    item: realtimeNewItem,
    /** Absent: at the end. `root`: at the start. */
    previous_item_id: realtimeItemId.nullish(),
  }),
  'conversation.item.retrieve': z.object({
    type: z.literal('conversation.item.retrieve'),
    event_id,
    item_id: realtimeItemId,
  }),
  'conversation.item.delete': z.object({
    type: z.literal('conversation.item.delete'),
    event_id,
    item_id: realtimeItemId,
  }),
  'conversation.item.truncate': z.object({
    type: z.literal('conversation.item.truncate'),
    event_id,
    item_id: realtimeItemId,
    content_index: z.int().min(0).default(0),
    /** How much of the answer's audio was played. */
    audio_end_ms: z.number().min(0).max(86_400_000),
  }),
  'response.create': z.object({ type: z.literal('response.create'), event_id, response: response.nullish() }),
  'response.cancel': z.object({
    type: z.literal('response.cancel'),
    event_id,
    response_id: z.string().max(100).nullish(),
  }),
} as const;

export type RealtimeClientEventType = keyof typeof REALTIME_CLIENT_EVENTS;
export const REALTIME_CLIENT_EVENT_TYPES = Object.keys(REALTIME_CLIENT_EVENTS) as RealtimeClientEventType[];

/** A validated client event, in one form for all protocol versions. */
export type RealtimeClientEvent = {
  [Type in RealtimeClientEventType]: z.output<(typeof REALTIME_CLIENT_EVENTS)[Type]>;
}[RealtimeClientEventType];

/** Why a client event is refused. */
export interface RealtimeEventError {
  code: string;
  message: string;
  /** Path within the event. Null: the event as a whole. */
  param: string | null;
  /** The event's own id. */
  event_id: string | null;
}

/** Parses a client event. Never throws. */
export function readRealtimeEvent(value: unknown): { event: RealtimeClientEvent } | { mistake: RealtimeEventError } {
  const { type, event_id } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const named = { event_id: typeof event_id === 'string' ? event_id.slice(0, 512) : null };
  if (typeof type !== 'string' || !Object.hasOwn(REALTIME_CLIENT_EVENTS, type)) {
    const message =
      typeof type === 'string'
        ? `Unknown event type ${type.slice(0, 100)}. Known types: ${REALTIME_CLIENT_EVENT_TYPES.join(', ')}.`
        : 'An event must be an object with a type.';
    return { mistake: { ...named, code: 'unknown_event', message, param: 'type' } };
  }
  const schema: z.ZodType<RealtimeClientEvent> = REALTIME_CLIENT_EVENTS[type as RealtimeClientEventType];
  const parsed = parseBounded(schema, value);
  if (parsed.success) return { event: parsed.data };
  const [detail] = describeIssues(parsed.error.issues, '');
  const param = detail?.path.replace(/^\./, '') ?? null;
  return {
    mistake: { ...named, code: 'invalid_value', message: `${param}: ${detail?.message ?? 'is wrong'}`, param },
  };
}
