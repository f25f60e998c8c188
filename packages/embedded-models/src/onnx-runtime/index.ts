// The order matters: this turns telemetry off before the runtime is loaded.
import './without-telemetry.ts';

export { InferenceSession, Tensor } from 'onnxruntime-node';
