export interface Endpoint {
  baseURL: string;
  /** The same platform, at another API process. */
  otherBaseURL: string;
  apiKey: string;
}
