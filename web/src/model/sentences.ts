// The lesson's sentence, cut as in the lesson, and the words that are never cut further.
export type Lang = 'zh' | 'en'

export const lessonSentence: Readonly<Record<Lang, readonly string[]>> = {
  zh: ['小明', '把', '蛋糕', '递给', '小红', '因为', '她', '不', '饿', '了', '。'],
  en: ['Tom', 'passed', 'the', 'cake', 'to', 'Lily', 'because', 'she', 'was', 'no', 'longer', 'hungry', '.'],
}

/** Three words for whoever never met attention. */
export const shortSentence: Readonly<Record<Lang, readonly string[]>> = {
  zh: ['小红', '吃', '蛋糕'],
  en: ['Lily', 'eats', 'cake'],
}

/** Tried first, longest first; what they leave is cut by Intl.Segmenter, which does not know the lesson's names. */
export const vocabulary: readonly string[] = [
  '小明', '小红', '小丽', '小伟', '小军', '他', '她', '它',
  '把', '被', '给', '递给', '借给', '送给', '因为', '所以', '不', '了', '饿', '吃', '吃饱', '昨天', '今天',
  '蛋糕', '苹果', '笔记', '磁铁', '钉子', '吸起', '磁力', '强', '分量', '轻', '教练', '前锋', '换下', '抽筋', '想', '换', '打法',
  '绳子', '勒断', '树枝', '枯', '拉得', '太', '紧', '缺课', '多', '抄', '一份', '水壶', '烫坏', '桌布', '烫', '是', '尼龙', '的',
]
