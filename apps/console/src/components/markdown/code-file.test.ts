import { expect, test } from 'vitest';
import { fileNameOf, previewOf } from './code-file.ts';

test('names files by their language', () => {
  const names = ['python', 'ts', '', 'c++', 'constructor', '../../x'].map(fileNameOf);
  expect(names).toEqual(['code.py', 'code.ts', 'code.txt', 'code.cpp', 'code.txt', 'code.txt']);
});

test('shows diagrams, pages, and images', () => {
  expect(previewOf('mermaid', 'graph TD')).toBe('mermaid');
  expect(previewOf('html', '<p>one</p>')).toBe('html');
  expect(previewOf('html', ' <svg width="1">')).toBe('svg');
  expect(previewOf('', '<?xml version="1.0"?>\n<svg>')).toBe('svg');
  expect(previewOf('xml', '<note><svg></note>')).toBeNull();
  expect(previewOf('js', '<svg>')).toBeNull();
});
