import { isLoopback } from './loopback-url.js';

it.each([
  'http://localhost:4000/',
  'https://127.0.0.1/',
  'http://127.1.2.3/',
  'http://2130706433/',
  'http://[::1]:8080/',
])('is true for %s', (url) => expect(isLoopback(new URL(url))).toBe(true));

it.each([
  'http://localhost.example/',
  'http://127.0.0.1.example/',
  'http://128.0.0.1/',
  'http://[::2]/',
  'http://127.0.0.1@example.com/',
])('is false for %s', (url) => expect(isLoopback(new URL(url))).toBe(false));
