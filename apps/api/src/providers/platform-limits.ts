import type { PlatformLimit } from '@chorus/contract';
import type { Services } from '../services.ts';

/** Returns the limits that the environment sets, with their variables. */
export function limitsOf({ assets, perUser, rateLimits }: Services['config']): PlatformLimit[] {
  const ofUser = (name: string, value: number, variable: string): PlatformLimit => ({
    name,
    value,
    unit: 'at_once',
    per: 'user',
    variable,
  });
  const ofMinute = (name: string, value: number, variable: string): PlatformLimit => ({
    name,
    value,
    unit: 'per_minute',
    per: 'credential',
    variable,
  });
  return [
    ofUser('executions', perUser.executions, 'EXECUTIONS_PER_USER'),
    ofUser('batches', perUser.batches, 'BATCHES_PER_USER'),
    ofUser('event_streams', perUser.streams, 'EVENT_STREAMS_PER_USER'),
    ofUser('waiting_requests', perUser.waits, 'WAITING_REQUESTS_PER_USER'),
    ofUser('voice_sockets', perUser.sockets, 'VOICE_SOCKETS_PER_USER'),
    ofUser('uploads', perUser.uploads, 'UPLOADS_PER_USER'),
    ofMinute('reads', rateLimits.reads, 'RATE_LIMIT_READS'),
    ofMinute('writes', rateLimits.writes, 'RATE_LIMIT_WRITES'),
    ofMinute('new_executions', rateLimits.executions, 'RATE_LIMIT_EXECUTIONS'),
    { name: 'storage', value: assets.quotaBytes, unit: 'bytes', per: 'scope', variable: 'STORAGE_QUOTA_BYTES' },
  ];
}
