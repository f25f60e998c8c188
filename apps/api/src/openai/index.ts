import type { Route } from '../define-route.ts';
import { endpointRoute } from '../protocols/define-endpoint.ts';
import { audioSpeech } from './audio-speech.ts';
import { audioTranscriptions, audioTranslations } from './audio-transcriptions.ts';
import { cancelOpenAiBatch, createOpenAiBatch, getOpenAiBatch, listOpenAiBatches } from './batches/batches.ts';
import { chatCompletions } from './chat-completions.ts';
import { embeddings } from './embeddings.ts';
import { createFile, deleteFile, getFile, getFileContent, listFiles } from './files/files.ts';
import { imageEdits, imageGenerations } from './images.ts';
import { getOpenAiModel, listOpenAiModels } from './models.ts';
import { createResponse } from './responses/create-response.ts';
import { cancelResponse, deleteResponse, getResponse, listInputItems } from './responses/stored-responses.ts';

/** The routes under `/openai/v1`. */
export const openAiRoutes: readonly Route[] = [
  endpointRoute(chatCompletions),
  createResponse,
  getResponse,
  listInputItems,
  cancelResponse,
  deleteResponse,
  endpointRoute(embeddings),
  endpointRoute(imageGenerations),
  endpointRoute(imageEdits),
  endpointRoute(audioSpeech),
  endpointRoute(audioTranscriptions),
  endpointRoute(audioTranslations),
  createFile,
  listFiles,
  getFile,
  getFileContent,
  deleteFile,
  createOpenAiBatch,
  listOpenAiBatches,
  getOpenAiBatch,
  cancelOpenAiBatch,
  listOpenAiModels,
  getOpenAiModel,
];
