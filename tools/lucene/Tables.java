import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.lucene.analysis.miscellaneous.ASCIIFoldingFilter;
import org.apache.lucene.analysis.nl.DutchAnalyzer;
import org.apache.lucene.analysis.standard.StandardTokenizer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.analysis.tokenattributes.TypeAttribute;

/** Prints what Lucene's own code decides about each character, as JSON: what the Python analysis needs of it. */
class Tables {
    static final StandardTokenizer TOKENIZER = new StandardTokenizer();
    static final CharTermAttribute TERM = TOKENIZER.addAttribute(CharTermAttribute.class);
    static final TypeAttribute TYPE = TOKENIZER.addAttribute(TypeAttribute.class);

    /** Returns the tokens of a text, each with its type before it. */
    static List<String> tokens(String text) throws Exception {
        List<String> found = new ArrayList<>();
        TOKENIZER.setReader(new StringReader(text));
        TOKENIZER.reset();
        while (TOKENIZER.incrementToken()) {
            found.add(TYPE.type() + TERM);
        }
        TOKENIZER.end();
        TOKENIZER.close();
        return found;
    }

    static boolean isOne(String text) throws Exception {
        List<String> found = tokens(text);
        return found.size() == 1 && found.get(0).endsWith(">" + text);
    }

    /** Returns the name of the class of a character in the word rules, or null if no rule has it. */
    static String wordClass(String c) throws Exception {
        List<String> alone = tokens(c);
        if (!alone.isEmpty()) {
            String type = alone.get(0).substring(1, alone.get(0).indexOf('>'));
            switch (type) {
                case "HANGUL": return "ALetter";
                case "ALPHANUM": return isOne(c + "'") ? "Hebrew" : "ALetter";
                case "NUM": return "Numeric";
                case "EMOJI": return "Emoji";
                default: return type.charAt(0) + type.substring(1).toLowerCase();
            }
        }
        if (isOne(c + c) && tokens(c + c).get(0).startsWith("<EMOJI>")) {
            return "Regional";
        }
        if (isOne("a" + c) && isOne(c + "a")) {
            return "ExtendNumLet";
        }
        boolean letters = isOne("a" + c + "a");
        boolean numbers = isOne("1" + c + "1");
        return letters && numbers ? "MidNumLet" : letters ? "MidLetter" : numbers ? "MidNum" : null;
    }

    public static void main(String[] args) throws Exception {
        Map<String, List<Integer>> ranges = new TreeMap<>();
        Map<String, StringBuilder> folding = new TreeMap<>();
        for (int point = 0; point <= Character.MAX_CODE_POINT; point++) {
            boolean half = point >= 0xD800 && point <= 0xDFFF;
            String c = half ? "" : new String(Character.toChars(point));
            String found = half || !Character.isDefined(point) ? null : wordClass(c);
            if (found != null) {
                add(ranges, found, point);
            }
            if (!half && Character.isDefined(point) && isOne("a" + c)) {
                if (!isOne(c + "a")) {
                    add(ranges, "Extend", point); // may also begin a token: an emoji modifier, a Thai vowel
                } else if ("Emoji".equals(found)) {
                    add(ranges, "ALetter", point);
                }
            }
            if (!half && point >= 0x80) {
                char[] output = new char[8];
                int length = ASCIIFoldingFilter.foldToASCII(c.toCharArray(), 0, output, 0, c.length());
                String folded = new String(output, 0, length);
                if (!folded.equals(c)) {
                    folding.computeIfAbsent(folded, name -> new StringBuilder()).append(c);
                }
            }
        }
        TreeSet<String> stop = new TreeSet<>();
        DutchAnalyzer.getDefaultStopSet().forEach(word -> stop.add(new String((char[]) word)));
        System.out.println("{\"stopwords\": {\"_dutch_\": " + list(stop) + "},");
        System.out.println("\"folding\": {" + joined(folding) + "},");
        List<String> classes = new ArrayList<>();
        ranges.forEach((name, points) -> classes.add("\"" + name + "\": " + points));
        System.out.println("\"classes\": {" + String.join(",\n", classes) + "}}");
    }

    static void add(Map<String, List<Integer>> ranges, String name, int point) {
        List<Integer> mine = ranges.computeIfAbsent(name, unused -> new ArrayList<>());
        if (!mine.isEmpty() && mine.get(mine.size() - 1) == point - 1) {
            mine.set(mine.size() - 1, point);
        } else {
            mine.add(point);
            mine.add(point);
        }
    }

    static String list(Iterable<String> words) {
        List<String> quoted = new ArrayList<>();
        words.forEach(word -> quoted.add(quoted(word)));
        return "[" + String.join(", ", quoted) + "]";
    }

    static String joined(Map<String, StringBuilder> folding) {
        List<String> pairs = new ArrayList<>();
        folding.forEach((target, from) -> pairs.add(quoted(target) + ": " + quoted(from.toString())));
        return String.join(",\n", pairs);
    }

    static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
