// The order matters.
import './without-telemetry.ts';

export { InferenceSession, Tensor } from 'onnxruntime-node';
