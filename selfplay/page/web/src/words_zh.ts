/** The page in simplified Chinese, by the English text. */
export const ZH: Record<string, string> = {
  Play: "对局",
  Data: "数据",
};
