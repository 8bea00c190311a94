/*
 * Tests of the Mermaid validator's sequence, class, state and ER diagrams: the verdict of the real
 * parser on snippets, and the place, class and words of what is refused.
 */
#include "mmd_fixture.h"

#define TYPE_SNIPPETS 1982

/* What the grammars take though it looks wrong, and false alarms that were. */
static const struct {
    const char *name, *text;
} accepted[] = {
    { "a number is a name when no blank follows", "sequenceDiagram\n1->>2: x" },
    { "the last blank of a text hides nothing", "sequenceDiagram\nautonumber 5 \n" },
    { "a stray bracket", "sequenceDiagram\n(A)->>B: x" },
    { "title takes the next line", "sequenceDiagram\ntitle\nA->>B" },
    { "one percent sign begins a comment", "sequenceDiagram\n% no statement\nA->>B: x" },
    { "an entity is no comment", "sequenceDiagram\nA->>B: #35; #quot;x#quot;; B->>A: y" },
    { "a keyword may begin a word", "sequenceDiagram\nEndpoint->>Looper: x" },
    { "a keyword may be declared", "sequenceDiagram\nparticipant end\nactor loop as Loop" },
    { "as is a name", "sequenceDiagram\nparticipant as\nA->>B: x" },
    { "a link as a name", "sequenceDiagram\nLink->>Details: x" },
    { "accDescr without its brace", "sequenceDiagram\naccDescr {\nA->>" },
    { "an activation takes no part",
      "sequenceDiagram\nactivate A\ncreate participant A\nB->>A: x" },
    { "names side by side are one", "classDiagram\nclass A extends B\nA and B --> C" },
    { "a name may begin with a dash", "classDiagram\n-A --> B-1" },
    { "a direction anywhere in a line", "classDiagram\nA --> B : see direction LR, : or {" },
    { "an empty string is none", "classDiagram\nA \"\" --> \"\" B" },
    { "back-quotes left open", "classDiagram\nclass `A\nB --> C" },
    { "a comment as the last thing", "classDiagram\nA --> B %% c\n" },
    { "a blank member", "classDiagram\nclass A:::x { }" },
    { "namespaces in namespaces", "classDiagram\nnamespace N { namespace M {\nclass A } }" },
    { "a dashed style behind another", "classDiagram\nclassDef x fill:#fff,stroke-width:2px;" },
    { "a class that a relation names", "classDiagram\nA --> B\n<<x>> B" },
    { "a brace too many", "stateDiagram-v2\nstate A {\n}\n}\n} --> B" },
    { "words are states", "stateDiagram-v2\nA => B ; if (x) then" },
    { "the brace on the next line", "stateDiagram-v2\nstate A\n{\nB\n}" },
    { "the target on a later line", "stateDiagram-v2\nA --> \nB\nstate C {\nD -->\nE\n}" },
    { "as on a later line", "stateDiagram-v2\nstate \"x\"\nas A" },
    { "a mark ends what it likes", "stateDiagram-v2\nstate A { B <<fork>> C" },
    { "one description of a composite state", "stateDiagram-v2\nstate A {\nB\n}\nA : x" },
    { "a class without styles takes the next line", "stateDiagram-v2\nclassDef x\nA --> B --> C" },
    { "a note of lines may hold anything", "stateDiagram-v2\nnote left of a-b\n: } {\nend note" },
    { "keywords are names in composite states",
      "stateDiagram-v2\nstate A {\nclick --> default\n}" },
    { "statements side by side", "erDiagram\nA B[x]:::c C { int x } D ||--|| E : y F" },
    { "a number before letters", "erDiagram\n2nd_table {\nint x\n}" },
    { "a title is made of entities", "erDiagram\ntitle My diagram" },
    { "keys in any case, and joined", "erDiagram\nA { int x pk,FK \"c\" int y }" },
    { "a type parameter up to the last tilde", "erDiagram\nA {\nMap~K, V~[] x\n}" },
    { "a question mark after a type", "erDiagram\nA { string? x *y `my name` }" },
    { "a role in other letters", "erDiagram\nA ||--|| B : gehört_zu 1 ||..|| B : \"\"" },
    { "blanks that hide a line end", "erDiagram\nclassDef x fill:red \nA B\n" },
};

typedef struct Refused {
    const char *text;
    size_t line, column, opened_line;
    MmdClass class;
    const char *message, *hint;
} Refused;

static const Refused sequence_refused[] = {
    { "sequenceDiagram\nA->>B: hi\nBob->>\nA->>B: bye", 3, 6, 0, MMD_SYNTAX,
      "expected a participant after '->>', found the end of the line", "write 'Bob->>C: text'" },
    { "sequenceDiagram\nA->>B", 2, 5, 0, MMD_SYNTAX,
      "expected ':' and a text after 'B', found the end of the diagram", NULL },
    { "sequenceDiagram\nA=>>B: x", 2, 3, 0, MMD_SYNTAX,
      "expected an arrow, such as '->>', after 'A=', found '>>B: x'",
      "Arrows are -> --> ->> -->> -x --x -) --) <<->> <<-->>" },
    { "sequenceDiagram\nA->>Note: x", 2, 5, 0, MMD_SYNTAX,
      "expected a participant after '->>', found the keyword 'Note'",
      "Name it otherwise, such as: participant P as Note" },
    { "sequenceDiagram\nend->>A: x", 2, 1, 0, MMD_SYNTAX, "'end' closes nothing",
      "Name it otherwise, such as: participant P as end" },
    { "sequenceDiagram\nNote->>A: x", 2, 5, 0, MMD_SYNTAX,
      "expected 'left of', 'right of' or 'over' after 'Note', found '->>A: x'",
      "Name it otherwise, such as: participant P as Note" },
    { "sequenceDiagram\nA->>B: SELECT 1; COMMIT", 2, 23, 0, MMD_SYNTAX,
      "expected an arrow, such as '->>', after 'COMMIT', found the end of the diagram",
      "A semicolon ends a statement; write #59; for one in a text" },
    { "sequenceDiagram\n1 ->> 2: x", 2, 1, 0, MMD_SYNTAX,
      "expected a participant or a keyword at the start of a statement, found '1 ->> 2: x'",
      "No blank may follow a name that is a number" },
    { "sequenceDiagram\nparticipant A: Alice", 2, 14, 0, MMD_SYNTAX,
      "expected the end of the line after the participant's name, found ': Alice'",
      "write: participant A as …" },
    { "sequenceDiagram\nparticipant A@{ type: [ }", 2, 14, 0, MMD_SYNTAX,
      "the settings in '@{ }' are not YAML: did not find expected node content, while parsing a "
      "flow node",
      NULL },
    { "sequenceDiagram\nparticipant A@{\n\"type\": \"queue\",\n\"alias\": \"x\"\n}", 2, 14, 0,
      MMD_SYNTAX,
      "the settings in '@{ }' are not YAML: did not find expected key, while parsing a block "
      "mapping",
      "Write them on one line: @{ \"type\": \"database\" }" },
    { "sequenceDiagram\nparticipant A@{ \"type\": \"queue\"\nA->>B: x", 3, 8, 2, MMD_SYNTAX,
      "@{ is not closed: expected '}'", "@{ opened at line 2 is not closed" },
    { "sequenceDiagram\ncreate A", 2, 8, 0, MMD_SYNTAX,
      "expected 'participant' or 'actor' after 'create', found 'A'", NULL },
    { "sequenceDiagram\nNote above A: x", 2, 6, 0, MMD_SYNTAX,
      "expected 'left of', 'right of' or 'over' after 'Note', found 'above A: x'", NULL },
    { "sequenceDiagram\nNote over A,B,C: x", 2, 14, 0, MMD_SYNTAX,
      "expected ':' and a text, found ',C: x'", "'Note over' takes two participants at most" },
    { "sequenceDiagram\nNote left of A,B: x", 2, 15, 0, MMD_SYNTAX,
      "expected ':' and a text, found ',B: x'", "Only 'Note over' takes two participants" },
    { "sequenceDiagram\nautonumber x", 2, 12, 0, MMD_SYNTAX,
      "expected a number or 'off' after 'autonumber', found 'x'", NULL },
    { "sequenceDiagram\nautonumber 1 2 3", 2, 16, 0, MMD_SYNTAX,
      "expected at most a first number and a step after 'autonumber', found '3'", NULL },
    { "sequenceDiagram\nautonumber 5 \nA->>B: x", 3, 1, 0, MMD_SYNTAX,
      "expected at most a first number and a step after 'autonumber', found 'A->>B: x'", NULL },
    { "sequenceDiagram\nloop x\nA->>B: y", 3, 8, 2, MMD_SYNTAX,
      "loop is not closed: expected 'end'", "loop opened at line 2 is not closed" },
    { "sequenceDiagram\nalt x\nloop y\nA->>B: z\nend", 5, 3, 2, MMD_SYNTAX,
      "alt is not closed: expected 'end'", "alt opened at line 2 is not closed" },
    { "sequenceDiagram\nend", 2, 1, 0, MMD_SYNTAX, "'end' closes nothing",
      "no open block to close" },
    { "sequenceDiagram\nelse x", 2, 1, 0, MMD_SYNTAX, "'else' stands outside 'alt'", NULL },
    { "sequenceDiagram\nloop x\nelse y\nend", 3, 1, 2, MMD_SYNTAX,
      "'else' belongs to 'alt', but the open block is 'loop'", NULL },
    { "sequenceDiagram\nbox x\nA->>B: y\nend", 3, 1, 0, MMD_SYNTAX,
      "expected a participant or 'end' inside 'box', found 'A->>B: y'",
      "A box holds only participants; write the rest behind its 'end'" },
    { "sequenceDiagrams\nA->>B: x", 1, 16, 0, MMD_SYNTAX,
      "expected a blank or a line end after 'sequenceDiagram', found 's'", NULL },
    { "sequenceDiagram\nA->>B: x\n```", 3, 3, 0, MMD_SYNTAX,
      "expected an arrow, such as '->>', after '```', found the end of the diagram",
      "Remove the Markdown fence" },
    { "sequenceDiagram\nA->>B: x\ndeactivate B", 3, 12, 0, MMD_SEMANTIC,
      "'B' is not active, so it cannot be deactivated", "Add before it: activate B" },
    { "sequenceDiagram\nA->>+B: x\nB-->>-A: y\nB-->>-A: z", 4, 1, 0, MMD_SEMANTIC,
      "'B' is not active, so it cannot be deactivated", "Add before it: activate B" },
    { "sequenceDiagram\nparticipant A\ncreate participant A\nB->>A: x", 3, 20, 0, MMD_SEMANTIC,
      "'A' cannot be created: it takes part already",
      "Give it another name: create participant A2 as A" },
    { "sequenceDiagram\nA->>B: x\ncreate participant C\nA->>B: y", 4, 5, 0, MMD_SEMANTIC,
      "the first message after 'create' must go to 'C'", NULL },
    { "sequenceDiagram\nA->>B: x\ndestroy B\nA->>C: y", 4, 1, 0, MMD_SEMANTIC,
      "the first message after 'destroy' must come from or go to 'B'", NULL },
    { "sequenceDiagram\nbox x\nparticipant A\nend\nbox y\nparticipant A\nend", 6, 13, 0,
      MMD_SEMANTIC, "'A' stands in another box already", NULL },
    { "sequenceDiagram\ndeactivate A\nA->>B", 3, 5, 0, MMD_SYNTAX,
      "expected ':' and a text after 'B', found the end of the diagram", NULL },
};

static const Refused class_refused[] = {
    { "classDiagram", 1, 12, 0, MMD_SYNTAX,
      "expected a class or a relation, found the end of the diagram", NULL },
    { "classDiagram A --> B", 1, 14, 0, MMD_SYNTAX,
      "expected a line end after 'classDiagram', found 'A --> B'", NULL },
    { "classDiagram\nA -> B", 2, 3, 0, MMD_SYNTAX, "'->' is no relation", "use -->" },
    { "classDiagram\nA <|- B", 2, 5, 0, MMD_SYNTAX,
      "expected a line, '--' or '..', after '<|', found '- B'", "Write two dashes" },
    { "classDiagram\nA --> B : a : b", 2, 13, 0, MMD_SYNTAX,
      "expected the end of the line, found ': b'",
      "A text may not hold a second colon; members inside { } may" },
    { "classDiagram\nA --> B;", 2, 8, 0, MMD_SYNTAX, "expected the end of the line, found ';'",
      "A statement ends with its line; remove the semicolon" },
    { "classDiagram\nA => B", 2, 3, 0, MMD_SYNTAX, "expected the end of the line, found '=> B'",
      "Relations are <|-- *-- o-- --> -- ..> ..|> .. with \"cardinalities\"" },
    { "classDiagram\nA --> B:::x", 2, 8, 0, MMD_SYNTAX,
      "expected the end of the line, found ':::x'", "Only class Name:::style gives a style class" },
    { "classDiagram\nA \"1 --> \"*\" B", 2, 12, 2, MMD_SYNTAX,
      "the string is not closed: expected another '\"'", NULL },
    { "classDiagram\nA 1 --> * B", 2, 9, 0, MMD_SYNTAX,
      "expected a class at the other end of the relation, found '* B'",
      "Put cardinalities in double quotes" },
    { "classDiagram\n\"A\" --> B", 2, 1, 0, MMD_SYNTAX,
      "expected a class, a relation or a keyword, found '\"A\" --> B'",
      "A name is not quoted; put one with blanks in back-quotes" },
    { "classDiagram\nA --> \"B\"", 2, 9, 0, MMD_SYNTAX,
      "expected a class at the other end of the relation, found the end of the diagram",
      "A name is not quoted; what is quoted is a cardinality" },
    { "classDiagram\nA --> B %% c\nC --> D", 3, 3, 0, MMD_SYNTAX,
      "expected the end of the line behind the comment, which hides its line end, found '--> D'",
      "Comments must be on their own line" },
    { "classDiagram\nclass A %% c", 2, 9, 0, MMD_SYNTAX,
      "expected the end of the line, found '%% c'", "Comments must be on their own line" },
    { "classDiagram\nA :", 2, 3, 0, MMD_SYNTAX,
      "expected a text after ':', found the end of the diagram", NULL },
    { "classDiagram\nA : +name: string", 2, 10, 0, MMD_SYNTAX,
      "expected the end of the line, found ': string'",
      "A text may not hold a second colon; members inside { } may" },
    { "classDiagram\nclass A : x", 2, 9, 0, MMD_SYNTAX, "expected the end of the line, found ': x'",
      "A member has a line of its own, without 'class'" },
    { "classDiagram\nclass A <|-- B", 2, 9, 0, MMD_SYNTAX,
      "expected the end of the line, found '<|-- B'",
      "A relation has a line of its own, without 'class'" },
    { "classDiagram\nclass A<T>", 2, 8, 0, MMD_SYNTAX, "expected the end of the line, found '<T>'",
      "Write a type parameter with tildes: class A~T~" },
    { "classDiagram\nclass A~T\nA --> B", 2, 8, 2, MMD_SYNTAX,
      "the type parameter is not closed: expected another '~'", NULL },
    { "classDiagram\nclass note", 2, 7, 0, MMD_SYNTAX,
      "expected the name of a class after 'class', found 'note'",
      "This is a keyword; a name may begin with a capital letter" },
    { "classDiagram\nclass \"A B\" as AB", 2, 7, 0, MMD_SYNTAX,
      "expected the name of a class after 'class', found '\"A B\" as AB'",
      "A name is not quoted; for a label write class A[\"label\"]" },
    { "classDiagram\ninterface A {\n+x()\n}", 2, 13, 0, MMD_SYNTAX,
      "expected the end of the line, found '{'",
      "write class Name { … }, and inside, if need be, <<interface>>" },
    { "classDiagram\nabstract class A", 2, 10, 0, MMD_SYNTAX,
      "expected the end of the line, found 'class A'",
      "write class Name { … }, and inside, if need be, <<interface>>" },
    { "classDiagram\nclass A[l]", 2, 9, 0, MMD_SYNTAX,
      "expected a label in double quotes after '[', found 'l]'", NULL },
    { "classDiagram\nclass A {\n+x\nA --> B", 4, 7, 2, MMD_SYNTAX,
      "the body of the class is not closed: expected '}'",
      "the body of the class opened at line 2 is not closed" },
    { "classDiagram\nclass A {\n+x() { return }\n}", 3, 6, 2, MMD_SYNTAX,
      "'{' may not stand among the members of a class",
      "Close the class before it, or leave braces out of members" },
    { "classDiagram\nclass A {\n}\n}", 4, 1, 0, MMD_SYNTAX, "'}' closes nothing",
      "no open block to close" },
    { "classDiagram\nclass A {\n+f(\nint a)\n}", 4, 6, 0, MMD_SEMANTIC,
      "')' without a name and a '(' before it",
      "A method stands on one line: name(arguments) type" },
    { "classDiagram\nclass A:::x {}", 2, 14, 0, MMD_SYNTAX,
      "expected a member of the class behind its ':::', found '}'", NULL },
    { "classDiagram\nnamespace N {\nA --> B\n}", 3, 1, 0, MMD_SYNTAX,
      "expected a class or a note inside 'namespace', found 'A --> B'",
      "Write it behind the namespace's '}'" },
    { "classDiagram\nnamespace N {\nclass A\n", 3, 7, 2, MMD_SYNTAX,
      "the namespace is not closed: expected '}'", "the namespace opened at line 2 is not closed" },
    { "classDiagram\nnamespace N\n{\nclass A\n}", 2, 11, 0, MMD_SYNTAX,
      "expected '{' after the name of the namespace, on the same line, found the end of the line",
      NULL },
    { "classDiagram\nnote x", 2, 6, 0, MMD_SYNTAX,
      "expected the text of the note in double quotes, found 'x'", NULL },
    { "classDiagram\nnote for A x", 2, 12, 0, MMD_SYNTAX,
      "expected the text of the note in double quotes, found the end of the diagram", NULL },
    { "classDiagram\n<<interface>> A\nclass A", 2, 15, 0, MMD_SEMANTIC,
      "there is no class 'A' before its annotation", "Add before it: class A" },
    { "classDiagram\nclass A\n<<my interface>> A", 3, 6, 0, MMD_SYNTAX,
      "expected '>>' after one word, found 'interface>> A'", NULL },
    { "classDiagram\nclassDef x stroke-width:2px", 2, 18, 0, MMD_SYNTAX,
      "expected the end of the line, found '-width:2px'",
      "Put a style without '-' first: fill:#fff,stroke-width:2px" },
    { "classDiagram\nclick A \"x\"", 2, 9, 0, MMD_SYNTAX,
      "expected 'href \"url\"' or 'call f()' after the class, found '\"x\"'", NULL },
    { "classDiagram\nclick A call f", 2, 14, 0, MMD_SYNTAX,
      "expected a function with parentheses after 'call', such as 'call show()', found the end of "
      "the diagram",
      NULL },
    { "classDiagram\ncssClass A x", 2, 10, 0, MMD_SYNTAX,
      "expected the names of classes in double quotes after 'cssClass', found 'A x'", NULL },
    { "classDiagram\naccDescr {\nclass A", 3, 7, 2, MMD_SYNTAX,
      "accDescr is not closed: expected '}'", "accDescr opened at line 2 is not closed" },
};

static const Refused state_refused[] = {
    { "stateDiagramx\nA", 1, 13, 0, MMD_SYNTAX,
      "expected a blank or a line end after 'stateDiagram', found 'x'", NULL },
    { "stateDiagram-v2 direction LR\nA", 1, 17, 0, MMD_SYNTAX,
      "expected a line end after the header, found 'direction LR'", NULL },
    { "stateDiagram-v2\nA -> B", 2, 3, 0, MMD_SYNTAX, "'->' is no transition", "use -->" },
    { "stateDiagram-v2\nA ---> B", 2, 3, 0, MMD_SYNTAX,
      "expected a transition or the end of the line, found '---> B'", "use -->" },
    { "stateDiagram-v2\nA -->\nB --> C", 2, 5, 0, MMD_SYNTAX,
      "expected a state after '-->', found the end of the line", NULL },
    { "stateDiagram-v2\nA --> B --> C", 2, 9, 0, MMD_SYNTAX,
      "expected the end of the line after a transition, found '--> C'",
      "Each transition has a line of its own" },
    { "stateDiagram-v2\n--> A", 2, 1, 0, MMD_SYNTAX, "expected a state before '-->', found '--> A'",
      NULL },
    { "stateDiagram-v2\nA --> \"B C\"", 2, 7, 0, MMD_SYNTAX,
      "expected a state after '-->', found '\"B C\"'", "Declare it: state \"B C\" as s1" },
    { "stateDiagram-v2\n\"A\" --> B", 2, 1, 0, MMD_SYNTAX, "expected a state, found '\"A\" --> B'",
      "Declare it: state \"A\" as s1" },
    { "stateDiagram-v2\nmy-state --> B", 2, 3, 0, MMD_SYNTAX,
      "the name of a state may not hold '-'", "Use '_', or declare it: state \"a-b\" as a_b" },
    { "stateDiagram-v2\nA --> B:", 2, 8, 0, MMD_SYNTAX,
      "expected a text after ':', found the end of the diagram", NULL },
    { "stateDiagram-v2\nA --> default", 2, 7, 0, MMD_SYNTAX,
      "expected a state after '-->', found the keyword 'default'", NULL },
    { "stateDiagram-v2\nA --> Note\nB", 2, 7, 0, MMD_SYNTAX,
      "expected a state after '-->', found the keyword 'Note'", NULL },
    { "stateDiagram-v2\nstate \"x\"\nA", 2, 9, 0, MMD_SYNTAX,
      "expected 'as' and a name after the text, found the end of the line",
      "write: state \"long text\" as name" },
    { "stateDiagram-v2\nstate A as \"x\"", 2, 9, 0, MMD_SYNTAX,
      "expected a text in double quotes before 'as', found 'as \"x\"'",
      "write: state \"long text\" as name" },
    { "stateDiagram-v2\nstate A B {\nC\n}", 2, 9, 0, MMD_SYNTAX,
      "the name of a state must be a single word", "write: state \"two words\" as name {" },
    { "stateDiagram-v2\nstate A\nstate B {\nC\n}", 2, 7, 0, MMD_SYNTAX,
      "'A' and the next line, which has a '{', become one name",
      "Leave out the word 'state' before 'A'" },
    { "stateDiagram-v2\nstate \"x\nA", 2, 7, 2, MMD_SYNTAX,
      "the state's text is not closed: expected another '\"'", NULL },
    { "stateDiagram-v2\nstate A {\nB --> C", 3, 7, 2, MMD_SYNTAX,
      "the state is not closed: expected '}'", "the state opened at line 2 is not closed" },
    { "stateDiagram-v2\nstate A {\nB -->\n}", 3, 5, 0, MMD_SYNTAX,
      "expected a state after '-->', found the end of the line", NULL },
    { "stateDiagram-v2\nA {\nB\n}", 2, 3, 0, MMD_SYNTAX, "'{' opens nothing",
      "A composite state begins with 'state': state Name {" },
    { "stateDiagram-v2\nstate A {\nB {\nC\n}\n}", 3, 3, 0, MMD_SYNTAX, "'{' opens nothing",
      "A composite state begins with 'state': state Name {" },
    { "stateDiagram-v2\n--", 2, 1, 0, MMD_SYNTAX, "'--' divides only composite states", NULL },
    { "stateDiagram-v2\nnote above A : x", 2, 6, 0, MMD_SYNTAX,
      "expected 'left of' or 'right of' after 'note', found 'above A : x'", NULL },
    { "stateDiagram-v2\nnote left of A\nx", 2, 14, 2, MMD_SYNTAX,
      "the note has no text, or no 'end note' after it",
      "Write ': text' behind the state, or lines of text and then 'end note'" },
    { "stateDiagram-v2\nnote left of A : x : y", 2, 20, 0, MMD_SYNTAX,
      "expected the end of the note, found ': y'",
      "A text with colons needs lines of its own, up to 'end note'" },
    { "stateDiagram-v2\nnote \"x\"\nA", 2, 8, 0, MMD_SYNTAX,
      "expected 'as' and a name after the note's text, found the end of the line", NULL },
    { "stateDiagram-v2\nclassDef default fill:#f00", 2, 10, 0, MMD_SYNTAX,
      "'default' cannot be styled in a state diagram",
      "Define a class of another name, and give it to the states" },
    { "stateDiagram-v2\nclick A \"x\"", 2, 11, 0, MMD_SYNTAX,
      "expected a tooltip in double quotes after the URL, found the end of the diagram",
      "Without a tooltip write: click A href \"url\"" },
    { "stateDiagram-v2\nscale 350", 2, 9, 0, MMD_SYNTAX,
      "expected 'scale' with a number and 'width', found the end of the diagram", NULL },
    { "stateDiagram-v2\nstate A {\nB\n}\nA : x\nA : y", 6, 3, 0, MMD_SEMANTIC,
      "the composite state 'A' has more than one description", "Keep only one" },
};

static const Refused er_refused[] = {
    { "erDiagrams\nA", 1, 10, 0, MMD_SYNTAX, "expected a line end after 'erDiagram', found 's'",
      NULL },
    { "erDiagram\nA ||--|| B", 2, 10, 0, MMD_SYNTAX,
      "expected ':' and a role after the relation, found the end of the diagram",
      "Every relation needs a role: A ||--o{ B : has" },
    { "erDiagram\nA ||--|| B :", 2, 12, 0, MMD_SYNTAX,
      "expected a role after ':', found the end of the diagram", NULL },
    { "erDiagram\nA ||--|| B : one", 2, 14, 0, MMD_SYNTAX,
      "expected a role after ':', found the keyword 'one'", "Put the role in double quotes" },
    { "erDiagram\nA ||--|| B : has many", 2, 18, 0, MMD_SYNTAX,
      "expected the next statement after the role, found the keyword 'many'",
      "Put a role of several words in double quotes" },
    { "erDiagram\nA ||--|| B : x;", 2, 15, 0, MMD_SYNTAX,
      "expected an entity, a relation or a keyword, found ';'",
      "Statements have nothing between them; remove the semicolon" },
    { "erDiagram\nA ||--|| B : x %% c", 2, 16, 0, MMD_SYNTAX,
      "expected an entity, a relation or a keyword, found '%% c'",
      "Comments must be on their own line" },
    { "erDiagram\nA ||-o{ B : x", 2, 5, 0, MMD_SYNTAX,
      "expected a link, '--' or '..', after '||', found '-o{ B : x'", NULL },
    { "erDiagram\nA |--o{ B : x", 2, 3, 0, MMD_SYNTAX,
      "expected a cardinality, such as '||', '|o', '}o' or '}|', found '|--o{ B : x'", NULL },
    { "erDiagram\nA ||--{ B : x", 2, 7, 0, MMD_SYNTAX,
      "expected a cardinality, such as '||', 'o|', 'o{' or '|{', after the link, found '{ B : x'",
      NULL },
    { "erDiagram\nA --> B : x", 2, 3, 0, MMD_SYNTAX,
      "expected a cardinality, such as '||' or '}o', before the link, found '--> B : x'", NULL },
    { "erDiagram\nA ||--o{ : x", 2, 10, 0, MMD_SYNTAX,
      "expected an entity at the other end of the relation, found ': x'", NULL },
    { "erDiagram\n||--o{ B : x", 2, 1, 0, MMD_SYNTAX,
      "expected an entity before the cardinality, found '||--o{ B : x'", NULL },
    { "erDiagram\nCLASS {\nint x\n}", 2, 1, 0, MMD_SYNTAX, "'CLASS' is a keyword, not an entity",
      "Put it in double quotes: \"CLASS\"" },
    { "erDiagram\nA[x y]", 2, 5, 0, MMD_SYNTAX, "expected ']' after the other name, found 'y]'",
      "Put several words in double quotes" },
    { "erDiagram\nA:::", 2, 4, 0, MMD_SYNTAX,
      "expected the name of a class after ':::', found the end of the diagram", NULL },
    { "erDiagram\nA\n{\nint x\n}", 3, 1, 0, MMD_SYNTAX,
      "expected an entity before '{', on the same line, found '{'", NULL },
    { "erDiagram\nA {\nint\nint x\n}", 3, 3, 0, MMD_SYNTAX,
      "expected the name of an attribute after its type 'int', found the end of the line", NULL },
    { "erDiagram\nA {\nint x\nA ||--|| B : y", 4, 3, 0, MMD_SYNTAX,
      "expected the name of an attribute after its type 'A', found '||--|| B : y'",
      "Close the entity with '}' before a relation" },
    { "erDiagram\nA {\nint x", 3, 5, 2, MMD_SYNTAX, "the entity is not closed: expected '}'",
      "the entity opened at line 2 is not closed" },
    { "erDiagram\nA {\nint x \"c\" PK\n}", 3, 11, 0, MMD_SYNTAX,
      "expected the next attribute after a comment, found 'PK'",
      "Keys stand before the comment: type name PK \"comment\"" },
    { "erDiagram\nA {\nint x NOT\n}", 3, 9, 0, MMD_SYNTAX,
      "expected the name of an attribute after its type 'NOT', found the end of the line",
      "Only PK, FK, UK and a \"comment\" may follow a name" },
    { "erDiagram\nA {\nint x PK,\n}", 3, 9, 0, MMD_SYNTAX,
      "expected PK, FK or UK after ',', found the end of the line", NULL },
    { "erDiagram\nA {\nx: int\n}", 3, 2, 0, MMD_SYNTAX,
      "expected the name of an attribute after its type 'x', found ': int'",
      "An attribute is a type and a name: string email" },
    { "erDiagram\nA {\nint x,\nint y;\n}", 4, 6, 0, MMD_SYNTAX,
      "expected an attribute or '}', found ';'",
      "Attributes have nothing between them; remove ';'" },
    { "erDiagram\nA {\nint 1x\n}", 3, 5, 0, MMD_SYNTAX,
      "expected the name of an attribute after its type 'int', found '1x'",
      "A name begins with a letter or _" },
    { "erDiagram\nA {\ndecimal(10, 2) x\n}", 3, 13, 0, MMD_SYNTAX,
      "expected the name of an attribute after its type 'decimal(10,', found '2) x'",
      "No blank may stand inside a type: decimal(10,2)" },
    { "erDiagram\nA {\nList<int> x\n}", 3, 5, 0, MMD_SYNTAX,
      "expected the name of an attribute after its type 'List', found '<int> x'",
      "Write a type parameter with tildes: List~string~" },
    { "erDiagram\nA {\nint pk\n}", 3, 5, 0, MMD_SYNTAX,
      "expected the name of an attribute after its type 'int', found 'pk'",
      "PK, FK and UK are keys; they follow the name" },
    { "erDiagram\nA {\nint x \"c\n}", 3, 7, 3, MMD_SYNTAX,
      "the comment is not closed: expected another '\"'", NULL },
    { "erDiagram\nA {\nint x %% c\n}", 3, 7, 0, MMD_SYNTAX,
      "expected an attribute or '}', found '%% c'", "Comments must be on their own line" },
    { "erDiagram\n}", 2, 1, 0, MMD_SYNTAX, "'}' closes nothing", "no open block to close" },
    { "erDiagram\nclassDef x", 2, 10, 0, MMD_SYNTAX,
      "expected a style, such as 'fill:#f9f', found the end of the diagram", NULL },
    { "erDiagram\nclassDef x fill:1.5", 2, 18, 0, MMD_SYNTAX,
      "expected a name or a style, found '.5'", NULL },
    { "erDiagram\nclassDef x fill:red \n", 2, 19, 0, MMD_SYNTAX,
      "expected the end of the line without blanks before it, found the end of the diagram", NULL },
    { "erDiagram\nclass A", 2, 7, 0, MMD_SYNTAX,
      "expected the name of a class after the entity, found the end of the diagram", NULL },
    { "erDiagram\nsubgraph S\nA", 3, 1, 2, MMD_SYNTAX, "subgraph is not closed: expected 'end'",
      "subgraph opened at line 2 is not closed" },
    { "erDiagram\nsubgraph S T\nA\nend", 2, 12, 0, MMD_SYNTAX,
      "expected the end of the line after 'subgraph', found 'T'", NULL },
    { "erDiagram\nend", 2, 1, 0, MMD_SYNTAX, "'end' closes nothing", "no open block to close" },
    { "erDiagram\naccDescr {\nA", 3, 1, 2, MMD_SYNTAX, "accDescr is not closed: expected '}'",
      "accDescr opened at line 2 is not closed" },
};

static void test_snippets(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) snippets = mmd_data_lines("types.jsonl");
    assert_int_equal(json_array_size(snippets), TYPE_SNIPPETS);
    size_t index;
    const json_t *snippet;
    json_array_foreach (snippets, index, snippet) {
        g_auto(MmdVerdict) verdict = { 0 };
        const char *text = json_get_text(snippet, "text");
        mmd_check_text(text, &verdict);
        const MmdError *error = mmd_first_error(&verdict);
        if ((error == NULL) != json_get_bool(snippet, "valid", false))
            fail_msg("types.jsonl:%zu: %s\n%s", index + 1,
                     error != NULL ? error->message : "accepted", text);
    }
}

static void test_accepted(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(accepted); i++) {
        g_auto(MmdVerdict) verdict = { 0 };
        mmd_check_text(accepted[i].text, &verdict);
        const MmdError *error = mmd_first_error(&verdict);
        if (error)
            fail_msg("%s: %zu:%zu: %s", accepted[i].name, error->line, error->column,
                     error->message);
    }
}

static void check_refused(const Refused *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const Refused *want = &cases[i];
        g_auto(MmdVerdict) verdict = { 0 };
        mmd_check_text(want->text, &verdict);
        const MmdError *got = mmd_first_error(&verdict);
        if (!got)
            fail_msg("accepted:\n%s", want->text);
        bool is_same =
            verdict.errors->len == 1 && got->class == want->class && got->line == want->line &&
            got->column == want->column && got->opened_line == want->opened_line &&
            strcmp(got->message, want->message) == 0 && g_strcmp0(got->hint, want->hint) == 0;
        if (!is_same)
            fail_msg("%zu:%zu (opened in line %zu) %s: %s\nhint: %s\n%s", got->line, got->column,
                     got->opened_line, mmd_class_name(got->class), got->message, got->hint,
                     want->text);
    }
}

static void test_sequence(void **state G_GNUC_UNUSED)
{
    check_refused(sequence_refused, G_N_ELEMENTS(sequence_refused));
}

static void test_class(void **state G_GNUC_UNUSED)
{
    check_refused(class_refused, G_N_ELEMENTS(class_refused));
}

static void test_state(void **state G_GNUC_UNUSED)
{
    check_refused(state_refused, G_N_ELEMENTS(state_refused));
}

static void test_er(void **state G_GNUC_UNUSED)
{
    check_refused(er_refused, G_N_ELEMENTS(er_refused));
}

/* Inputs on which a careless scanner takes time that grows with the square of their length. */
static void test_long_inputs(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *head, *part;
    } cases[] = {
        { "sequenceDiagram\n", "alt x\n" },
        { "sequenceDiagram\nparticipant ", "a@" },
        { "sequenceDiagram\nparticipant ", "a #" },
        { "sequenceDiagram\n", "a-/" },
        { "sequenceDiagram\n", "(" },
        { "classDiagram\n", "a " },
        { "classDiagram\n", "direction " },
        { "classDiagram\n", "namespace N {\n" },
        { "classDiagram\nclass A {\n", "x(\n" },
        { "classDiagram\n", "\"\"" },
        { "stateDiagram\nstate ", "a " },
        { "stateDiagram\nstate ", "a\nstate " },
        { "stateDiagram\n", "state a {\n" },
        { "stateDiagram\n", "note left of a\n" },
        { "stateDiagram\n", "direction a " },
        { "stateDiagram\n", "a:::b " },
        { "erDiagram\nA {\nint x ", "PK," },
        { "erDiagram\nA {\n", "x~ " },
        { "erDiagram\nA {\n", "``" },
        { "erDiagram\n", "subgraph a\n" },
        { "erDiagram\n", "a direction " },
        { "erDiagram\nclassDef a ", "b:" },
        { "flowchart TD\n", " \n" },
        { "flowchart TD\nA --", " a-" },
        { "flowchart TD\nstyle a ", ":" },
        { "quadrantChart\nA: [0.1, 0.2] ", "-" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GString) text = g_string_new(cases[i].head);
        while (text->len < (size_t)rounds_of(300 * KIB))
            g_string_append(text, cases[i].part);
        g_auto(MmdVerdict) verdict = { 0 };
        mmd_check_text(text->str, &verdict);
        assert_non_null(verdict.type);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        { "cli-H-03: snippets of four types", test_snippets, NULL, NULL, NULL },
        { "cli-8.7: accepted", test_accepted, NULL, NULL, NULL },
        { "cli-8.7: sequence", test_sequence, NULL, NULL, NULL },
        { "cli-8.7: class", test_class, NULL, NULL, NULL },
        { "cli-8.7: state", test_state, NULL, NULL, NULL },
        { "cli-8.7: er", test_er, NULL, NULL, NULL },
        { "cli-H-11: long inputs", test_long_inputs, NULL, NULL, NULL },
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
