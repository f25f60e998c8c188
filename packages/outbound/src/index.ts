export type { AddressRange } from './address-rules.ts';
export type { Download, DownloadOptions } from './download.ts';
export { createOutbound, type Outbound } from './outbound.ts';
export type { PostAnswer } from './post-json.ts';
export type { OutboundAnswer, OutboundRequest } from './request.ts';
export { type FailureReason, RequestFailure } from './request-failure.ts';
export type { Lookup } from './resolve-host.ts';
export type { RequestMethod } from './send-request.ts';
