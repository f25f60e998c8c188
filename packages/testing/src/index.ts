export { writeFakeGguf } from './fake-gguf.ts';
export type { FakeCounts, FakeLimitSettings, FakeLimits } from './fake-limits.ts';
export { fakeSpeech, fakeVector } from './fake-media.ts';
export { type FakeOpenAI, type FakeOpenAIOptions, startFakeOpenAI } from './fake-openai.ts';
export { callTool, type FakePiece, refuse, say, think } from './fake-pieces.ts';
export { type FakeProvider, type FakeProviderName, startFakeProvider } from './fake-provider.ts';
export type { FakeRequest } from './fake-server.ts';
export { expectedPieces, expectedText, type FakeConversation } from './fake-turn.ts';
export { fakeVoice } from './fake-voice.ts';
export {
  CLIP_MP4,
  CLIP_WEBM,
  FAKE_IMAGE,
  keptPlace,
  noDecisions,
  TEST_SECRET_ENV,
  TEST_SECRET_KEY,
  TINY_PNG,
} from './fixtures.ts';
export { freePort } from './free-port.ts';
export { dropDatabases, storeIsGiven } from './given-store.ts';
export { largePng } from './large-png.ts';
export { makeCertificate } from './make-certificate.ts';
export { standardEventIssues, standardIssues } from './open-responses.ts';
export { sampleOf } from './sample-of.ts';
export { programOf } from './server-process.ts';
export {
  OIDC_CLIENT,
  startIdentityProvider,
  type TestIdentityProvider,
  type TestPerson,
} from './start-identity-provider.ts';
export { startRedis, type TestRedis } from './start-redis.ts';
export { startRedisCluster, type TestRedisCluster } from './start-redis-cluster.ts';
export { startRedisSentinel, type TestRedisSentinel } from './start-redis-sentinel.ts';
export { type OwnTestS3, S3_START_MS, s3IsGiven, sharedS3, startS3, type TestBucket, type TestS3 } from './start-s3.ts';
export { sharedStore, startStore, type TestDatabases, type TestStore } from './start-store.ts';
export { temporaryFolder } from './temporary-folder.ts';
export { type ReceivedWebhook, startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts';
export {
  assemblePdf,
  type PdfMark,
  type PdfPage,
  type RepeatedContent,
  writeCompressedPdf,
  writePdf,
} from './write-pdf.ts';
