import type { Texts } from '../pages/texts/texts.js';

interface GuideTexts {
  readonly title: string;
  /** Language of the guide, if it is not the language of the page. */
  readonly language: string | undefined;
  readonly contents: string;
}

export const guideTexts: Texts<GuideTexts> = {
  en: { title: 'Guide for clients', language: undefined, contents: 'Contents' },
  ja: { title: 'クライアント開発ガイド', language: 'このガイドは英語で書かれています。', contents: '目次' },
};
