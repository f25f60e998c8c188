// ONNX Runtime tells its maker which models are loaded, from where and on what machine, and leaves files in the folder for temporary ones. It is
// asked not to before it is loaded, since it reads its environment once. What people run themselves tells nobody of it.
process.env.ORT_DISABLE_TELEMETRY = '1';
