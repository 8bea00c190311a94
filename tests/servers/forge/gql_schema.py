"""The part of GitHub's GraphQL schema that the forge knows.

One line a group of fields: `name` (String) or `name:Type`; `[Type]` is a list,
`Type*` a connection (edges, nodes, pageInfo, totalCount are made for it). A field
not written here is refused in GitHub's words, and __type() answers from here, so
gh's feature detection sees what there really is. `(args)` after a name lists the
arguments beyond a connection's own first, last, after, before; `!` marks a needed one.
"""

import re

ABSTRACT = {
    "Node": ["Repository", "Issue", "PullRequest", "IssueComment", "User", "Organization", "Bot", "Label", "Milestone",
             "PullRequestReview", "PullRequestReviewComment", "PullRequestReviewThread", "CheckRun", "Release"],
    "Actor": ["User", "Organization", "Bot"],
    "RepositoryOwner": ["User", "Organization"],
    "IssueOrPullRequest": ["Issue", "PullRequest"],
    "SearchResultItem": ["Issue", "PullRequest", "Repository", "User", "Organization"],
    "StatusCheckRollupContext": ["CheckRun", "StatusContext"],
    "RequestedReviewer": ["User", "Bot", "Team"],
    "Comment": ["Issue", "PullRequest", "IssueComment", "PullRequestReview", "PullRequestReviewComment"],
    "GitObject": ["Commit"],
    "Labelable": ["Issue", "PullRequest"],
    "Assignable": ["Issue", "PullRequest"],
    "UniformResourceLocatable": ["Repository", "Issue", "PullRequest", "User", "Organization"],
}

ENUMS = {
    "SearchType": ["ISSUE", "REPOSITORY", "USER", "DISCUSSION"],
    "PullRequestState": ["OPEN", "CLOSED", "MERGED"],
    "IssueState": ["OPEN", "CLOSED"],
    "IssueStateReason": ["REOPENED", "NOT_PLANNED", "COMPLETED"],
    "RepositoryPermission": ["ADMIN", "MAINTAIN", "WRITE", "TRIAGE", "READ"],
}

ISSUE_COMMON = """
    id:ID number:Int title body bodyText url:URI state createdAt:DateTime updatedAt:DateTime closedAt:DateTime closed:Boolean
    author:Actor authorAssociation locked:Boolean editor:Actor lastEditedAt:DateTime viewerDidAuthor:Boolean includesCreatedEdit:Boolean
    labels(orderBy):Label* assignees:User* milestone:Milestone comments(orderBy):IssueComment* reactionGroups:[ReactionGroup] repository:Repository
    projectCards:ProjectCard* projectItems(includeArchived):ProjectV2Item* participants:User* resourcePath:URI
"""

TYPES = {
    "Query": """
        viewer:User rateLimit:RateLimit repository(owner!,name!,followRenames):Repository user(login!):User organization(login!):Organization
        repositoryOwner(login!):RepositoryOwner node(id!):Node nodes(ids!):[Node] search(query!,type!):SearchResultItem* resource(url!):UniformResourceLocatable
    """,
    "RateLimit": "limit:Int cost:Int remaining:Int resetAt:DateTime used:Int",
    "Actor": "login url:URI avatarUrl:URI resourcePath:URI",
    "RepositoryOwner": "id:ID login url:URI avatarUrl:URI",
    "Node": "id:ID",
    "Comment": "id:ID body author:Actor authorAssociation createdAt:DateTime updatedAt:DateTime",
    "GitObject": "oid abbreviatedOid",
    "Labelable": "labels(orderBy):Label*",
    "Assignable": "assignees:User*",
    "UniformResourceLocatable": "url:URI",
    "User": """
        id:ID databaseId:Int login name email url:URI avatarUrl:URI resourcePath:URI isViewer:Boolean organizations:Organization* repositories:Repository*
        projectsV2(query,orderBy):ProjectV2* projects(states,orderBy):Project*
    """,
    "Bot": "id:ID databaseId:Int login url:URI avatarUrl:URI resourcePath:URI",
    "Organization": "id:ID databaseId:Int login name url:URI avatarUrl:URI resourcePath:URI teams(orderBy):Team* team(slug!):Team repositories:Repository* membersWithRole:User* projectsV2(query,orderBy):ProjectV2* projects(states,orderBy):Project*",
    "Team": "id:ID name slug organization:Organization",
    "Project": "id:ID name number:Int body resourcePath:URI",
    "ProjectV2": "id:ID title number:Int resourcePath:URI closed:Boolean url:URI",
    "ProjectCard": "id:ID project:Project column:ProjectColumn",
    "ProjectColumn": "id:ID name",
    "ProjectV2Item": "id:ID project:ProjectV2 fieldValueByName(name!):ProjectV2ItemFieldSingleSelectValue",
    "ProjectV2ItemFieldSingleSelectValue": "optionId name",
    "Topic": "name",
    "RepositoryTopic": "topic:Topic url:URI",
    "Language": "name color",
    "LanguageEdge": "size:Int node:Language cursor",
    "License": "key name nickname spdxId",
    "CodeOfConduct": "key name url:URI",
    "Repository": """
        id:ID databaseId:Int name nameWithOwner owner:RepositoryOwner description url:URI sshUrl homepageUrl:URI mirrorUrl:URI openGraphImageUrl:URI
        resourcePath:URI createdAt:DateTime updatedAt:DateTime pushedAt:DateTime archivedAt:DateTime isArchived:Boolean isFork:Boolean
        isPrivate:Boolean isEmpty:Boolean isInOrganization:Boolean isMirror:Boolean isTemplate:Boolean isDisabled:Boolean isLocked:Boolean
        isBlankIssuesEnabled:Boolean isSecurityPolicyEnabled:Boolean isUserConfigurationRepository:Boolean securityPolicyUrl:URI
        hasIssuesEnabled:Boolean hasWikiEnabled:Boolean hasProjectsEnabled:Boolean hasDiscussionsEnabled:Boolean
        forkCount:Int stargazerCount:Int diskUsage:Int visibility viewerPermission viewerCanAdminister:Boolean viewerHasStarred:Boolean
        viewerSubscription viewerDefaultCommitEmail viewerDefaultMergeMethod viewerPossibleCommitEmails:[String]
        mergeCommitAllowed:Boolean rebaseMergeAllowed:Boolean squashMergeAllowed:Boolean deleteBranchOnMerge:Boolean autoMergeAllowed:Boolean
        usesCustomOpenGraphImage:Boolean defaultBranchRef:Ref parent:Repository templateRepository:Repository primaryLanguage:Language
        languages(orderBy):Language* licenseInfo:License codeOfConduct:CodeOfConduct contactLinks:[ContactLink] fundingLinks:[FundingLink]
        repositoryTopics:RepositoryTopic* watchers:User* stargazers:User* forks:Repository* labels(orderBy,query):Label* label(name!):Label
        milestones(states,orderBy):Milestone* milestone(number!):Milestone issues(states,labels,filterBy,orderBy):Issue* issue(number!):Issue
        issueOrPullRequest(number!):IssueOrPullRequest pullRequest(number!):PullRequest
        pullRequests(states,labels,headRefName,baseRefName,orderBy):PullRequest* ref(qualifiedName!):Ref refs(refPrefix!,query,orderBy):Ref*
        object(oid,expression):GitObject assignableUsers(query):User* mentionableUsers(query):User* releases(orderBy):Release* latestRelease:Release
        release(tagName!):Release projects(states,orderBy):Project* projectsV2(query,orderBy):ProjectV2* issueTemplates:[IssueTemplate]
        pullRequestTemplates:[PullRequestTemplate] planFeatures:PlanFeatures
    """,
    "PlanFeatures": "codeowners:Boolean",
    "ContactLink": "about name url:URI",
    "FundingLink": "platform url:URI",
    "IssueTemplate": "name title body about filename",
    "PullRequestTemplate": "body filename",
    "Ref": "id:ID name prefix target:GitObject branchProtectionRule:BranchProtectionRule associatedPullRequests(states):PullRequest*",
    "BranchProtectionRule": "requiresStrictStatusChecks:Boolean requiredApprovingReviewCount:Int",
    "Label": "id:ID name color description url:URI isDefault:Boolean createdAt:DateTime",
    "Milestone": "id:ID number:Int title description dueOn:DateTime state url:URI",
    "ReactionGroup": "content users:User* reactors:User* viewerHasReacted:Boolean",
    "Issue": ISSUE_COMMON + "databaseId:Int stateReason isPinned:Boolean closedByPullRequestsReferences:PullRequest*",
    "IssueComment": """
        id:ID databaseId:Int fullDatabaseId:BigInt body bodyText url:URI author:Actor authorAssociation createdAt:DateTime updatedAt:DateTime
        publishedAt:DateTime includesCreatedEdit:Boolean isMinimized:Boolean minimizedReason reactionGroups:[ReactionGroup] viewerDidAuthor:Boolean
        viewerCanUpdate:Boolean viewerCanDelete:Boolean issue:Issue repository:Repository
    """,
    "PullRequest": ISSUE_COMMON + """
        databaseId:Int fullDatabaseId:BigInt isDraft:Boolean merged:Boolean mergedAt:DateTime mergedBy:Actor mergeable mergeStateStatus mergeCommit:Commit potentialMergeCommit:Commit
        baseRefName baseRefOid headRefName headRefOid baseRef:Ref headRef:Ref baseRepository:Repository headRepository:Repository headRepositoryOwner:RepositoryOwner
        isCrossRepository:Boolean maintainerCanModify:Boolean additions:Int deletions:Int changedFiles:Int files:PullRequestChangedFile*
        commits:PullRequestCommit* reviews(states,author):PullRequestReview* latestReviews:PullRequestReview* latestOpinionatedReviews:PullRequestReview*
        reviewRequests:ReviewRequest* reviewThreads:PullRequestReviewThread* reviewDecision statusCheckRollup:StatusCheckRollup
        closingIssuesReferences:Issue* autoMergeRequest:AutoMergeRequest isInMergeQueue:Boolean isMergeQueueEnabled:Boolean
        viewerCanUpdate:Boolean permalink:URI
    """,
    "AutoMergeRequest": "authorEmail commitBody commitHeadline mergeMethod enabledAt:DateTime enabledBy:Actor",
    "PullRequestChangedFile": "path additions:Int deletions:Int changeType",
    "PullRequestCommit": "commit:Commit url:URI",
    "ReviewRequest": "requestedReviewer:RequestedReviewer",
    "Commit": """
        id:ID oid abbreviatedOid message messageHeadline messageBody authoredDate:DateTime committedDate:DateTime url:URI author:GitActor
        committer:GitActor authors:GitActor* parents:Commit* statusCheckRollup:StatusCheckRollup additions:Int deletions:Int checkSuites:CheckSuite*
    """,
    "GitActor": "name email date:DateTime user:User",
    "StatusCheckRollup": "id:ID state contexts:StatusCheckRollupContext*",
    "CheckRunStateCount": "state count:Int",
    "StatusContextStateCount": "state count:Int",
    "CheckRun": """
        id:ID databaseId:Int name status conclusion startedAt:DateTime completedAt:DateTime detailsUrl:URI url:URI checkSuite:CheckSuite title summary
        isRequired(pullRequestId,pullRequestNumber):Boolean
    """,
    "StatusContext": "id:ID context state targetUrl:URI createdAt:DateTime description isRequired(pullRequestId,pullRequestNumber):Boolean",
    "CheckSuite": "id:ID databaseId:Int workflowRun:WorkflowRun conclusion status",
    "WorkflowRun": "id:ID databaseId:Int event runNumber:Int workflow:Workflow url:URI createdAt:DateTime",
    "Workflow": "id:ID databaseId:Int name",
    "PullRequestReview": """
        id:ID databaseId:Int fullDatabaseId:BigInt author:Actor authorAssociation body state submittedAt:DateTime createdAt:DateTime updatedAt:DateTime url:URI commit:Commit
        reactionGroups:[ReactionGroup] comments:PullRequestReviewComment* viewerDidAuthor:Boolean
    """,
    "PullRequestReviewThread": """
        id:ID isResolved:Boolean isOutdated:Boolean isCollapsed:Boolean path line:Int startLine:Int originalLine:Int originalStartLine:Int diffSide startDiffSide subjectType resolvedBy:User pullRequest:PullRequest repository:Repository
        comments:PullRequestReviewComment* viewerCanResolve:Boolean viewerCanUnresolve:Boolean viewerCanReply:Boolean
    """,
    "PullRequestReviewComment": """
        id:ID databaseId:Int fullDatabaseId:BigInt author:Actor authorAssociation body path line:Int originalLine:Int startLine:Int diffHunk outdated:Boolean url:URI isMinimized:Boolean
        createdAt:DateTime updatedAt:DateTime replyTo:PullRequestReviewComment pullRequest:PullRequest pullRequestReview:PullRequestReview reactionGroups:[ReactionGroup]
        commit:Commit originalCommit:Commit state subjectType
    """,
    "Release": """
        id:ID databaseId:Int name tagName description url:URI isDraft:Boolean isPrerelease:Boolean isLatest:Boolean createdAt:DateTime
        publishedAt:DateTime author:User
    """,
    "PageInfo": "hasNextPage:Boolean hasPreviousPage:Boolean startCursor endCursor",
    "__Type": "kind name description fields(includeDeprecated):[__Field] enumValues(includeDeprecated):[__EnumValue] inputFields:[__Field]",
    "__Field": "name description",
    "__EnumValue": "name description",
    "__Schema": "queryType:__Type mutationType:__Type types:[__Type]",
}

# Beside what every connection has.
CONNECTION_EXTRA = {
    "StatusCheckRollupContext": """
        checkRunCount:Int checkRunCountsByState:[CheckRunStateCount] statusContextCount:Int statusContextCountsByState:[StatusContextStateCount]
    """,
    "SearchResultItem": "issueCount:Int repositoryCount:Int userCount:Int codeCount:Int wikiCount:Int discussionCount:Int",
    "Language": "totalSize:Int",
}

# Mutations: name -> what its payload holds.
MUTATIONS = {
    "createIssue": "issue:Issue", "updateIssue": "issue:Issue", "closeIssue": "issue:Issue", "reopenIssue": "issue:Issue",
    "addComment": "commentEdge:IssueCommentEdge subject:Node", "updateIssueComment": "issueComment:IssueComment", "deleteIssueComment": "",
    "createPullRequest": "pullRequest:PullRequest", "updatePullRequest": "pullRequest:PullRequest",
    "closePullRequest": "pullRequest:PullRequest", "reopenPullRequest": "pullRequest:PullRequest",
    "mergePullRequest": "pullRequest:PullRequest", "markPullRequestReadyForReview": "pullRequest:PullRequest",
    "convertPullRequestToDraft": "pullRequest:PullRequest", "requestReviews": "pullRequest:PullRequest",
    "addPullRequestReview": "pullRequestReview:PullRequestReview", "updatePullRequestBranch": "pullRequest:PullRequest",
    "addLabelsToLabelable": "labelable:Labelable", "removeLabelsFromLabelable": "labelable:Labelable",
    "addAssigneesToAssignable": "assignable:Assignable", "removeAssigneesFromAssignable": "assignable:Assignable",
    "lockLockable": "", "unlockLockable": "",
    "resolveReviewThread": "thread:PullRequestReviewThread", "unresolveReviewThread": "thread:PullRequestReviewThread",
    "addPullRequestReviewThread": "thread:PullRequestReviewThread", "addPullRequestReviewThreadReply": "comment:PullRequestReviewComment",
    "submitPullRequestReview": "pullRequestReview:PullRequestReview",
}

FIELD = re.compile(r"(\w+)(?:\(([\w,!]*)\))?(?::(\S+))?")
PAGE_ARGUMENTS = {"first", "last", "after", "before"}


def build():
    """type -> {field: (type text, its arguments, those that are needed with a `!`)}"""
    schema = {}
    pending = dict(TYPES)
    for name, payload in MUTATIONS.items():
        pending[name[0].upper() + name[1:] + "Payload"] = payload + " clientMutationId"
    for name, text in pending.items():
        schema[name] = {}
        for field, arguments, kind in FIELD.findall(text):
            allowed = set(filter(None, arguments.split(",")))
            if kind.endswith("*"):
                item = kind[:-1]
                kind, allowed = item + "Connection", allowed | PAGE_ARGUMENTS
                schema.setdefault(kind, connection(item))
                edge = {"node": (item, set()), "cursor": ("String", set())}
                schema.setdefault(item + "Edge", edge)
            schema[name][field] = (kind or "String", allowed)
    schema["LanguageEdge"]["size"] = ("Int", set())
    schema["Mutation"] = {name: (name[0].upper() + name[1:] + "Payload", {"input!"}) for name in MUTATIONS}
    schema["Query"]["__type"] = ("__Type", {"name!"})
    schema["Query"]["__schema"] = ("__Schema", set())
    for name in ABSTRACT:
        schema.setdefault(name, {})
    return schema


def connection(item):
    fields = {"nodes": (f"[{item}]", set()), "edges": (f"[{item}Edge]", set()), "pageInfo": ("PageInfo", set()), "totalCount": ("Int", set())}
    if item == "SearchResultItem":
        del fields["totalCount"]
    for field, _, kind in FIELD.findall(CONNECTION_EXTRA.get(item, "")):
        fields[field] = (kind or "String", set())
    return fields


SCHEMA = build()
