export { publicAddress } from './public-address.ts';
export {
  CLUSTER_URL_FORM,
  type ClusterAddress,
  isSentinelUrl,
  parseClusterUrl,
  parseSentinelUrl,
  SENTINEL_URL_FORM,
  type SentinelAddress,
} from './redis-url.ts';
