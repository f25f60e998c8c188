// ONNX Runtime reports loaded models and machine details to its vendor, and leaves files in the temporary folder. It
// reads this variable once, while loading.
process.env.ORT_DISABLE_TELEMETRY = '1';
